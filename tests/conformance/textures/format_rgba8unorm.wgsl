// 8-bit unorm is n / 255, rounded once.
//: needs textures
//: texture 0:0 2d rgba8unorm 2x1
//: in 0:0 u32 0x80030201 0xfe7f04ff
//: out 0:1 f32 bits:3b808081 bits:3c008081 bits:3c40c0c1 bits:3f008081  bits:3f800000 bits:3c808081 bits:3efefeff bits:3f7efeff
//: deviates lavapipe "multiplies by the rounded reciprocal" 0:1 f32 = = bits:3c40c0c2 =  = = bits:3efeff00 _
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 2>;
@compute @workgroup_size(2, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 2u + id.x] = textureLoad(t, id.xy, 0);
}
