// Four channels of 16 bits are stored as two words.
//: needs textures
//: in 0:0 u32 1 2 32768 65535
//: texture 0:1 2d rgba16uint 1x1
//: out 0:1 u32 0x20001 0xffff8000
@group(0) @binding(0) var<storage, read> values: array<vec4<u32>, 1>;
@group(0) @binding(1) var t: texture_storage_2d<rgba16uint, write>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 1u + id.x]);
}
