// f64 multiplication rounds once.
//: needs f64
//: in  0:0 f64 0.1 1e+200 1e-200 2.2250738585072014e-308 -0.0 1.0000000000000002
//: in  0:1 f64 3.0 1e+200 1e-200 0.5 4.0 1.0000000000000002
//: out 0:2 f64 0.30000000000000004 inf 0.0 1.1125369292536007e-308 -0.0 1.0000000000000004
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read> b: array<f64>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] * b[i];
}
