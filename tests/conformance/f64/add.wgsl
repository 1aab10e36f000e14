// f64 addition rounds to 53 bits, ties to even, and overflows to infinity.
//: needs f64
//: in  0:0 f64 0.1 1.0 1.0 1.7976931348623157e+308 5e-324 inf -0.0 1e+16
//: in  0:1 f64 0.2 1.1102230246251565e-16 1.6653345369377348e-16 1.7976931348623157e+308 5e-324 1.0
//:: -0.0 1.0
//: out 0:2 f64 0.30000000000000004 1.0 1.0000000000000002 inf 1e-323 inf -0.0 1e+16
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read> b: array<f64>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] + b[i];
}
