// The channels of rgb9e5ufloat are m * 2^(e - 24) with one exponent.
//: needs textures
//: texture 0:0 2d rgb9e5ufloat 3x1
//: in 0:0 u32 0x81010100 0xf80003ff 0x601ff
//: out 0:1 f32 bits:3f800000 bits:3f000000 bits:3e800000 bits:3f800000  bits:477f8000 bits:43000000 bits:00000000 bits:3f800000  bits:37ff8000 bits:37800000 bits:33800000 bits:3f800000
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 3>;
@compute @workgroup_size(3, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 3u + id.x] = textureLoad(t, id.xy, 0);
}
