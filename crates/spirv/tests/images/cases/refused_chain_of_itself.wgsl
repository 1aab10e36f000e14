word 168: OpAccessChain: unsupported: a pointer that comes from OpAccessChain
