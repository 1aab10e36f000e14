// refract bends by the ratio of indices; total internal reflection gives exactly zero.
//: in  0:0 f32 0.6 -0.8   0.6 -0.8   0.8 -0.6
//: in  0:1 f32 0.75 1.0 1.5
//: out 0:2 f32 within REFRACT_ABS_2POW_MINUS_19 0.450000017881 -0.893028560982
//:: 0.600000023842 -0.800000011921 f32 0.0|-0.0 0.0|-0.0
@group(0) @binding(0) var<storage, read> a: array<vec2<f32>, 3>;
@group(0) @binding(1) var<storage, read> ratio: array<f32, 3>;
@group(0) @binding(2) var<storage, read_write> out: array<vec2<f32>, 3>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = refract(a[i], vec2(0.0, 1.0), ratio[i]);
}
