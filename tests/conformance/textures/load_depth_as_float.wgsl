// A depth texture can be bound as texture_2d<f32>; its depth is the first channel.
//: needs textures
//: texture 0:0 2d depth16unorm 2x1
//: in 0:0 u32 0xffff0000
//: out 0:1 f32 0 1
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 2>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t, vec2(i, 0u), 0).x;
}
