fn f(a: array<u32, 4>) -> u32 { return a[4]; }
