// exp2 of f16 is within 1 + 2 |x| ULP.
//: needs f16
//: in  0:0 f16 0.0 1.0 -1.0 0.5 15.0 -10.0
//: out 0:1 f16 within F16_EXP_ULP_1_PLUS_2X of 0:0 1.0 2.0 0.5 1.4142135623730951 32768.0
//:: 0.0009765625
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = exp2(a[i]);
}
