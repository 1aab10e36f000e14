// Four channels of 16 bits take two words.
//: needs textures
//: texture 0:0 2d rgba16uint 1x1
//: in 0:0 u32 0x20001 0xffff8000
//: out 0:1 u32 1 2 32768 65535
@group(0) @binding(0) var t: texture_2d<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>, 1>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 1u + id.x] = textureLoad(t, id.xy, 0);
}
