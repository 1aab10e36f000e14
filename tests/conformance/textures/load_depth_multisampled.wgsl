// A texture_depth_multisampled_2d gives the depth of one sample.
//: needs textures
//: texture 0:0 2d depth32float 2x2 samples=4 clear=0.25
//: out 0:1 f32 0.25 0.25
@group(0) @binding(0) var t: texture_depth_multisampled_2d;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 2>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t, vec2(i, 0u), i * 3u);
}
