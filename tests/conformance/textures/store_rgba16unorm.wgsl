// rgba16unorm stores the nearest n / 65535, clamped.
//: needs textures texture_16bit_norm
//: in 0:0 f32 bits:00000000 bits:3f800000 bits:3e4ccccd bits:40000000
//: texture 0:1 2d rgba16unorm 1x1
//: out 0:1 u32 0xffff0000 0xffff3333
@group(0) @binding(0) var<storage, read> values: array<vec4<f32>, 1>;
@group(0) @binding(1) var t: texture_storage_2d<rgba16unorm, write>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 1u + id.x]);
}
