// inverseSqrt of f64 at squares of powers of two.
//: needs f64
//: in  0:0 f64 0.25 1.0 16.0 2.409919865102884e-181
//: out 0:1 f64 2.0 1.0 0.25 2.037035976334486e+90
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = inverseSqrt(a[i]);
}
