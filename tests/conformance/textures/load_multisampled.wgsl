// A texture_multisampled_2d takes the sample in place of the level.
//: needs textures
//: texture 0:0 2d rgba8unorm 2x2 samples=4 clear=1,0,1,0
//: out 0:1 f32 1 0 1 0  1 0 1 0  1 0 1 0  1 0 1 0
@group(0) @binding(0) var t: texture_multisampled_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t, vec2(i & 1u, i >> 1u), i);
}
