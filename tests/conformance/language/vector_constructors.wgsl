// Vectors are built from scalars, other vectors and mixtures, and a single scalar fills all.
//: in  0:0 f32 1 2 3 4
//: out 0:1 f32 1 2 3 4   1 1 1 1   3 4 1 2   9 1 2 3   2 3 4 9   1 2 9 9
@group(0) @binding(0) var<storage, read> v: vec4<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 6>;

@compute @workgroup_size(1)
fn main() {
    out[0] = vec4(v.x, v.y, v.z, v.w);
    out[1] = vec4(v.x);
    out[2] = vec4(v.zw, v.xy);
    out[3] = vec4(9.0, v.xyz);
    out[4] = vec4(v.yzw, 9.0);
    out[5] = vec4(v.x, v.y, vec2(9.0));
}
