// A bool becomes 0 or 1, and an f64 is true unless it is zero.
//: needs f64
//: in  0:0 f64 0.0 -0.0 5e-324 nan
//: out 0:1 f64 0.0 0.0 1.0 1.0
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f64(bool(a[i]));
}
