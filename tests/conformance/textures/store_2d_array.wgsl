// A texture_storage_2d_array takes the layer as an argument of its own.
//: needs textures
//: texture 0:0 2d-array r32uint 2x1x3
//: out 0:0 u32 0 1 10 11 20 21
@group(0) @binding(0) var t: texture_storage_2d_array<r32uint, write>;
@compute @workgroup_size(2, 3) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, vec2(id.x, 0u), id.y, vec4(id.y * 10u + id.x));
}
