fn g(a: u32) {}
fn f() { g(); }
