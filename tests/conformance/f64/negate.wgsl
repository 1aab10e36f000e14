// Negation turns the sign of an f64 over, that of zero too.
//: needs f64
//: in  0:0 f64 1.5 -0.0 0.0 -inf 5e-324
//: out 0:1 f64 -1.5 0.0 -0.0 inf -5e-324
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = -a[i];
}
