// Every u32 is an f64.
//: needs f64
//: in  0:0 u32 0 1 MAX 2147483648
//: out 0:1 f64 0.0 1.0 4294967295.0 2147483648.0
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f64(a[i]);
}
