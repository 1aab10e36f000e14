// rgb10a2unorm packs fractions of 1023 and of 3.
//: needs textures texture_formats
//: in 0:0 f32 bits:3f800000 bits:00000000 bits:3f000000 bits:3f800000
//: texture 0:1 2d rgb10a2unorm 1x1
//: out 0:1 u32 0xe00003ff|0xdff003ff
@group(0) @binding(0) var<storage, read> values: array<vec4<f32>, 1>;
@group(0) @binding(1) var t: texture_storage_2d<rgb10a2unorm, write>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 1u + id.x]);
}
