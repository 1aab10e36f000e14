word 173: OpAtomicIAdd: unsupported: a pointer made of itself, or in countless steps
