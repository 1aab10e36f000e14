word 171: OpAtomicIAdd: unsupported: what an atomic instruction on an image gives back, which WGSL has not
