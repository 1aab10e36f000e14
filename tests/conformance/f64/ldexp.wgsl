// ldexp of f64 scales into subnormals, rounded once, and overflows to infinity.
//: needs f64
//: in  0:0 f64 1.0 1.5 1.0 -1.0 3.0
//: in  0:1 i32 3 -1074 1023 1024 -1075
//: out 0:2 f64 8.0 1e-323 8.98846567431158e+307 -inf 1e-323
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = ldexp(a[i], b[i]);
}
