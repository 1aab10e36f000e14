// rgba32sint stores four words.
//: needs textures
//: in 0:0 i32 1 -2 3 -4
//: texture 0:1 2d rgba32sint 1x1
//: out 0:1 u32 0x1 0xfffffffe 0x3 0xfffffffc
@group(0) @binding(0) var<storage, read> values: array<vec4<i32>, 1>;
@group(0) @binding(1) var t: texture_storage_2d<rgba32sint, write>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 1u + id.x]);
}
