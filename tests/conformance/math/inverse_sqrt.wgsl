// The inverse square root is within 2 ULP.
//: in  0:0 f32 1.0 4.0 2.0 0.25 0x1.2a05f2p33 0x1.b7cdfep-34 3.0
//: out 0:1 f32 within INVERSE_SQRT_ULP_2 1.0 0.5 0.707106781187 2.0 1e-05 99999.9993324
//:: 0.57735026919
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = inverseSqrt(a[i]);
}
