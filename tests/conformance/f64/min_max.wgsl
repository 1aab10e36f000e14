// min and max of f64.
//: needs f64
//: in  0:0 f64 1.0 2.0 1.0 -1.0
//: in  0:1 f64 2.0 1.0 1.0000000000000002 -2.0
//: out 0:2 f64 -3.0 -3.0 -1.0000000000000004 0.0
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read> b: array<f64>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = min(a[i], b[i]) - 2lf * max(a[i], b[i]);
}
