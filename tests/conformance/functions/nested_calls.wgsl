// Calls nest, and the same function may be called from several places.
//: in  0:0 i32 3 -2
//: out 0:1 i32 16 6
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

fn square(x: i32) -> i32 {
    return x * x;
}

fn sum_of_squares(x: i32, y: i32) -> i32 {
    return square(x) + square(y);
}

fn shifted(x: i32) -> i32 {
    let base = sum_of_squares(x, 1) + square(square(1));
    return base + select(5, 0, x < 0);
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = shifted(a[i]);
}
