// The cosine is within 2^-11 on [-pi, pi].
//: in  0:0 f32 0.0 0.5 1.0 -1.0 1.5707964 3.1415927 -3.1415927 2.0 -0.1
//: out 0:1 f32 within COS_ABS_2POW_MINUS_11 1.0 0.87758256189 0.540302305868 0.540302305868
//:: -4.37113900019e-08 -1.0 -1.0 -0.416146836547 0.995004165129
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(9)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = cos(a[i]);
}
