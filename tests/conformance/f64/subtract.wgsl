// f64 subtraction keeps subnormal results.
//: needs f64
//: in  0:0 f64 0.3 2.2250738585072014e-308 1.0 -1.7976931348623157e+308 1.0
//: in  0:1 f64 0.1 5e-324 1.0 1.7976931348623157e+308 5.551115123125783e-17
//: out 0:2 f64 0.19999999999999998 2.225073858507201e-308 0.0 -inf 1.0
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read> b: array<f64>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] - b[i];
}
