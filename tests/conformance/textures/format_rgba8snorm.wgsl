// 8-bit snorm is n / 127, and -128 is -1 as well.
//: needs textures
//: texture 0:0 2d rgba8snorm 2x1
//: in 0:0 u32 0x81807f00 0xff01c040
//: out 0:1 f32 bits:00000000 bits:3f800000 bits:bf800000 bits:bf800000  bits:3f010204 bits:bf010204 bits:3c010204 bits:bc010204
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 2>;
@compute @workgroup_size(2, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 2u + id.x] = textureLoad(t, id.xy, 0);
}
