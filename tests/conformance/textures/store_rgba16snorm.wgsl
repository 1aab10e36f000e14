// rgba16snorm stores the nearest n / 32767, clamped.
//: needs textures texture_16bit_norm
//: in 0:0 f32 bits:00000000 bits:3f800000 bits:bf800000 bits:c0000000
//: texture 0:1 2d rgba16snorm 1x1
//: out 0:1 u32 0x7fff0000 0x80018001
@group(0) @binding(0) var<storage, read> values: array<vec4<f32>, 1>;
@group(0) @binding(1) var t: texture_storage_2d<rgba16snorm, write>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 1u + id.x]);
}
