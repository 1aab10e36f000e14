fn f(a: array<array<u32, 65536>, 65536>) {}
