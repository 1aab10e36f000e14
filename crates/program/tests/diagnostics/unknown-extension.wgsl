enable f16, telepathy;
fn f() {}
