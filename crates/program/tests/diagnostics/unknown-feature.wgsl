requires mind_reading;
fn f() {}
