// frexp and modf of f64.
//: needs f64 int64
//: in  0:0 f64 1.0 -6.5 0.0 0x1p-1074
//: out 0:1 f64 0.5 1 0 1 -0.8125 3 -0.5 -6 0 0 0 0 0.5 -1073 0x1p-1074 0
//: deviates lavapipe "subnormals are not normalised" skip
@group(0) @binding(0) var<storage, read> a: array<f64, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f64>, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    let split = frexp(a[i]);
    let parts = modf(a[i]);
    out[i] = vec4(split.fract, f64(split.exp), parts.fract, parts.whole);
}
