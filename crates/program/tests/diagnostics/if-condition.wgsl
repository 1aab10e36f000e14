fn f(a: u32) { if a { return; } }
