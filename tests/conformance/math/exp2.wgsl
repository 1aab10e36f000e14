// exp2 is within 3 + 2 |x| ULP.
//: in  0:0 f32 0.0 1.0 -1.0 0.5 -0.25 100.0 -120.0
//: out 0:1 f32 within EXP2_ULP_3_PLUS_2X of 0:0 1.0 2.0 0.5 1.41421356237 0.840896415254
//:: 1.26765060023e+30 7.52316384526e-37
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = exp2(a[i]);
}
