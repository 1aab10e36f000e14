// A texture_depth_2d_array takes a layer.
//: needs textures
//: texture 0:0 2d-array depth16unorm 1x1x2
//: in 0:0 u32 0xffff0000
//: out 0:1 f32 0 1
@group(0) @binding(0) var t: texture_depth_2d_array;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 2>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t, vec2(0), i, 0);
}
