// r8uint stores one byte.
//: needs textures texture_formats
//: in 0:0 u32 1 9 9 9  2 9 9 9  255 9 9 9  0 9 9 9
//: texture 0:1 2d r8uint 4x1
//: out 0:1 u32 0xff0201
@group(0) @binding(0) var<storage, read> values: array<vec4<u32>, 4>;
@group(0) @binding(1) var t: texture_storage_2d<r8uint, write>;
@compute @workgroup_size(4, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 4u + id.x]);
}
