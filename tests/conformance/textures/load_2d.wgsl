// textureLoad of a texture_2d<f32> gives the texel at column x and row y; 8-bit unorm is n / 255.
//: needs textures
//: texture 0:0 2d rgba8unorm 2x2
//: in 0:0 u32 0x04030201 0xff00ff00 0x80000000 0x00ff007f
//: out 0:1 f32 bits:3b808081 bits:3c008081 bits:3c40c0c1 bits:3c808081  0 1 0 1
//::  0 0 0 bits:3f008081  bits:3efefeff 0 1 0
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 4>;
@compute @workgroup_size(2, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 2u + id.x] = textureLoad(t, id.xy, 0);
}
