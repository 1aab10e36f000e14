// f64 becomes u32 toward zero and saturates; NaN is 0.
//: needs f64
//: in  0:0 f64 1.9 -1.9 2147483647.5 -2147483648.5 4294967295.75 1e+300 -inf inf nan -0.5
//: out 0:1 u32 1 0 2147483647 0 MAX MAX 0 MAX 0 0
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u32(a[i]);
}
