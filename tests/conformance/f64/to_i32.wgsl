// f64 becomes i32 toward zero and saturates; NaN is 0.
//: needs f64
//: in  0:0 f64 1.9 -1.9 2147483647.5 -2147483648.5 4294967295.75 1e+300 -inf inf nan -0.5
//: out 0:1 i32 1 -1 MAX MIN MAX MAX MIN MAX 0 0
//: deviates lavapipe "NaN is MIN" 0:1 i32 =*8 MIN =
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i32(a[i]);
}
