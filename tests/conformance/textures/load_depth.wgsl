// A texture_depth_2d gives one f32; depth16unorm is n / 65535.
//: needs textures
//: texture 0:0 2d depth16unorm 4x1
//: in 0:0 u32 0x00010000 0xffff7fff
//: out 0:1 f32 bits:00000000 bits:37800080 bits:3effff00 bits:3f800000
//: deviates lavapipe "multiplies by the rounded reciprocal" 0:1 f32 = = bits:3effff00|bits:3efffeff =
@group(0) @binding(0) var t: texture_depth_2d;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t, vec2(i, 0u), 0);
}
