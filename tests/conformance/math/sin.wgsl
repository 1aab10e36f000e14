// The sine is within 2^-11 on [-pi, pi].
//: in  0:0 f32 0.0 0.5 1.0 -1.0 1.5707964 3.1415927 -3.1415927 2.0 -0.1
//: out 0:1 f32 within SIN_ABS_2POW_MINUS_11 0.0 0.479425538604 0.841470984808 -0.841470984808 1.0
//:: -8.74227800037e-08 8.74227800037e-08 0.909297426826 -0.0998334181295
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(9)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = sin(a[i]);
}
