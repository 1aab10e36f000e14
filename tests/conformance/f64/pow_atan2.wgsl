// pow and atan2 of f64 are computed in f64.
//: needs f64
//: in  0:0 f64 2.0 3.0 1.5
//: in  0:1 f64 0.5 7.0 -2.0
//: out 0:2 f64 within F64_ULP_4 2.7400312260411277 2187.404891786285 2.9425359892409535
//: deviates lavapipe "SPIR-V has the function for 16 and 32 bits only" skip
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read> b: array<f64>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = pow(a[i], b[i]) + atan2(a[i], b[i]);
}
