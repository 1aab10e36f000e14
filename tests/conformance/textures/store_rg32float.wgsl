// rg32float stores two channels.
//: needs textures
//: in 0:0 f32 bits:3f800000 bits:bf800000 bits:41100000 bits:41100000
//: texture 0:1 2d rg32float 1x1
//: out 0:1 u32 0x3f800000 0xbf800000
@group(0) @binding(0) var<storage, read> values: array<vec4<f32>, 1>;
@group(0) @binding(1) var t: texture_storage_2d<rg32float, write>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 1u + id.x]);
}
