// 16-bit snorm is n / 32767, and -32768 is -1 as well.
//: needs textures texture_16bit_norm
//: texture 0:0 2d rg16snorm 2x1
//: in 0:0 u32 0x7fff8000 0x80010000
//: out 0:1 f32 bits:bf800000 bits:3f800000 bits:00000000 bits:3f800000  bits:00000000 bits:bf800000 bits:00000000 bits:3f800000
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 2>;
@compute @workgroup_size(2, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 2u + id.x] = textureLoad(t, id.xy, 0);
}
