word 173: OpAtomicIAdd: %31 leads back to itself
