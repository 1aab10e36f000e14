// clamp, saturate and step of f64.
//: needs f64
//: in  0:0 f64 -2.0 0.25 2.0 70.0
//: out 0:1 f64 -1.0 0.5 4.0 66.0
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = clamp(a[i], -1lf, 64lf) + saturate(a[i]) + step(0.5lf, a[i]);
}
