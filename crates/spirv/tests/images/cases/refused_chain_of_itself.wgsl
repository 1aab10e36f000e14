word 168: OpAccessChain: unsupported: pointers that are chosen when the program runs
