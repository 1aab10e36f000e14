word 168: OpCopyObject: %31 is used where it is not known
