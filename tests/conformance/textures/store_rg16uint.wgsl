// rg16uint stores two halves.
//: needs textures texture_formats
//: in 0:0 u32 1 65535 9 9
//: texture 0:1 2d rg16uint 1x1
//: out 0:1 u32 0xffff0001
@group(0) @binding(0) var<storage, read> values: array<vec4<u32>, 1>;
@group(0) @binding(1) var t: texture_storage_2d<rg16uint, write>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 1u + id.x]);
}
