// A texture_storage_3d is addressed by column, row and slice.
//: needs textures
//: texture 0:0 3d r32uint 2x2x2
//: out 0:0 u32 0 1 10 11 100 101 110 111
@group(0) @binding(0) var t: texture_storage_3d<r32uint, write>;
@compute @workgroup_size(2, 2, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, vec3<i32>(id), vec4(id.z * 100u + id.y * 10u + id.x));
}
