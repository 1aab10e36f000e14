// 32-bit floats are the texel's bits.
//: needs textures
//: texture 0:0 2d rgba32float 1x1
//: in 0:0 u32 0x3f800001 0x7f800000 0x80000000 0x7f7fffff
//: out 0:1 f32 bits:3f800001 inf bits:80000000 bits:7f7fffff
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 1>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 1u + id.x] = textureLoad(t, id.xy, 0);
}
