// Floats are rounded to 16 bits; exact ones stay, subnormals too.
//: needs textures
//: in 0:0 f32 bits:3f800000 bits:c0200000 bits:00000000 bits:477fe000  bits:33800000 bits:38800000 bits:80000000 bits:3eaaa000
//: texture 0:1 2d rgba16float 2x1
//: out 0:1 u32 0xc1003c00 0x7bff0000 0x4000001 0x35558000
@group(0) @binding(0) var<storage, read> values: array<vec4<f32>, 2>;
@group(0) @binding(1) var t: texture_storage_2d<rgba16float, write>;
@compute @workgroup_size(2, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 2u + id.x]);
}
