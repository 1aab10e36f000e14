// inverseSqrt of f16 is within 2 ULP.
//: needs f16
//: in  0:0 f16 0.25 1.0 2.0 16.0 1000.0 6.103515625e-05
//: out 0:1 f16 within F16_INVERSE_SQRT_ULP_2 2.0 1.0 0.7071067811865475 0.25 0.03162277660168379
//:: 128.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = inverseSqrt(a[i]);
}
