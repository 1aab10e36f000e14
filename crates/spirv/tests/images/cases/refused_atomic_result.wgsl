word 171: OpAtomicIAdd: unsupported: the old value that an atomic instruction on a texel gives
