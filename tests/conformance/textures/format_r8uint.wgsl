// 8-bit uint is extended with zeros.
//: needs textures
//: texture 0:0 2d r8uint 4x1
//: in 0:0 u32 0x80ff7f01
//: out 0:1 u32 1 0 0 1  127 0 0 1  255 0 0 1  128 0 0 1
@group(0) @binding(0) var t: texture_2d<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>, 4>;
@compute @workgroup_size(4, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 4u + id.x] = textureLoad(t, id.xy, 0);
}
