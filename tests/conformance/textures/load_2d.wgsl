// textureLoad of a texture_2d<f32> gives the texel at column x and row y.
//: needs textures
//: texture 0:0 2d rgba8unorm 3x2
//: in 0:0 u32 0x000000ff 0x0000ff00 0x00ff0000 0xff000000 0xffffffff 0x00ff00ff
//: out 0:1 f32 1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1  1 1 1 1  1 0 1 0
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 6>;
@compute @workgroup_size(3, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 3u + id.x] = textureLoad(t, id.xy, 0);
}
