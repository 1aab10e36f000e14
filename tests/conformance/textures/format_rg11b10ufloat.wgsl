// rg11b10ufloat has unsigned floats of 11, 11 and 10 bits, with subnormals, infinity and NaN.
//: needs textures
//: texture 0:0 2d rg11b10ufloat 3x1
//: in 0:0 u32 0x801f03c0 0x400fc0 0xf7fe0fbf
//: out 0:1 f32 bits:3f800000 bits:3fc00000 bits:40000000 bits:3f800000  inf bits:35800000 bits:36000000 bits:3f800000  bits:477e0000 nan bits:477c0000 bits:3f800000
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 3>;
@compute @workgroup_size(3, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 3u + id.x] = textureLoad(t, id.xy, 0);
}
