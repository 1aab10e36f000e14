// r8snorm stores one signed byte.
//: needs textures texture_formats
//: in 0:0 f32 bits:3f800000 bits:00000000 bits:00000000 bits:00000000  bits:bf800000 bits:00000000 bits:00000000 bits:00000000  bits:00000000 bits:00000000 bits:00000000 bits:00000000  bits:be800000 bits:00000000 bits:00000000 bits:00000000
//: texture 0:1 2d r8snorm 4x1
//: out 0:1 u32 0xe000817f
@group(0) @binding(0) var<storage, read> values: array<vec4<f32>, 4>;
@group(0) @binding(1) var t: texture_storage_2d<r8snorm, write>;
@compute @workgroup_size(4, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 4u + id.x]);
}
