// 16-bit unorm is n / 65535.
//: needs textures texture_16bit_norm
//: texture 0:0 2d rgba16unorm 1x1
//: in 0:0 u32 0xffff0000 0x80000001
//: out 0:1 f32 bits:00000000 bits:3f800000 bits:37800080 bits:3f000080
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 1>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 1u + id.x] = textureLoad(t, id.xy, 0);
}
