// depth32float holds a float as it is; a render pass can only clear it.
//: needs textures
//: texture 0:0 2d depth32float 2x2 clear=0.625
//: out 0:1 f32 0.625 0.625
@group(0) @binding(0) var t: texture_depth_2d;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 2>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t, vec2(i, i), 0);
}
