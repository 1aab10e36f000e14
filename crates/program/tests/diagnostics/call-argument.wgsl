fn g(a: u32) {}
fn f() { g(1.0); }
