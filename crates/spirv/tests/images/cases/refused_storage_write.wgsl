word 183: OpImageWrite: it is no storage image
