// rg8sint stores two bytes.
//: needs textures texture_formats
//: in 0:0 i32 1 -2 9 9  -128 127 9 9
//: texture 0:1 2d rg8sint 2x1
//: out 0:1 u32 0x7f80fe01
@group(0) @binding(0) var<storage, read> values: array<vec4<i32>, 2>;
@group(0) @binding(1) var t: texture_storage_2d<rg8sint, write>;
@compute @workgroup_size(2, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 2u + id.x]);
}
