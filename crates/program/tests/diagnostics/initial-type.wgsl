fn f() { let a: u32 = 1.5; }
