word 173: OpAtomicIAdd: unsupported: a pointer that can be too many things
