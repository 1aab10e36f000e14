// rg8uint stores two bytes.
//: needs textures texture_formats
//: in 0:0 u32 1 2 9 9  255 0 9 9
//: texture 0:1 2d rg8uint 2x1
//: out 0:1 u32 0xff0201
@group(0) @binding(0) var<storage, read> values: array<vec4<u32>, 2>;
@group(0) @binding(1) var t: texture_storage_2d<rg8uint, write>;
@compute @workgroup_size(2, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 2u + id.x]);
}
