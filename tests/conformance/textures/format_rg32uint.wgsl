// Two channels of 32 bits take two words.
//: needs textures
//: texture 0:0 2d rg32uint 2x1
//: in 0:0 u32 0x1 0xffffffff 0x3 0x4
//: out 0:1 u32 1 4294967295 0 1  3 4 0 1
@group(0) @binding(0) var t: texture_2d<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>, 2>;
@compute @workgroup_size(2, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 2u + id.x] = textureLoad(t, id.xy, 0);
}
