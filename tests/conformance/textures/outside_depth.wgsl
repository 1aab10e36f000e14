// A load outside a depth texture gives zero.
//: needs textures
//: texture 0:0 2d depth16unorm 2x1
//: in 0:0 u32 0xffffffff
//: out 0:1 f32 1 0
@group(0) @binding(0) var t: texture_depth_2d;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 2>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t, vec2(1u + i, 0u), 0);
}
