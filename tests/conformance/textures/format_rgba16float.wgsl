// 16-bit floats are extended exactly: subnormals, infinities and NaN too.
//: needs textures
//: texture 0:0 2d rgba16float 2x1
//: in 0:0 u32 0xbc013c00 0x7bff0001 0xfc007c00 0x80007e00
//: out 0:1 f32 bits:3f800000 bits:bf802000 bits:33800000 bits:477fe000  inf -inf nan bits:80000000
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 2>;
@compute @workgroup_size(2, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 2u + id.x] = textureLoad(t, id.xy, 0);
}
