// A line that ends with a carriage return and a line feed.
fn f() {
    let x: u32 = 1.5;
}
