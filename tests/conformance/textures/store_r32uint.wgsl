// r32uint stores the first channel as it is.
//: needs textures
//: in 0:0 u32 4294967295 9 9 9  7 9 9 9
//: texture 0:1 2d r32uint 2x1
//: out 0:1 u32 0xffffffff 0x7
@group(0) @binding(0) var<storage, read> values: array<vec4<u32>, 2>;
@group(0) @binding(1) var t: texture_storage_2d<r32uint, write>;
@compute @workgroup_size(2, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 2u + id.x]);
}
