// A read_write texture is loaded and stored.
//: needs textures
//: texture 0:0 2d r32uint 2x2
//: in 0:0 u32 1 2 3 4
//: out 0:0 u32 10 20 30 40
@group(0) @binding(0) var t: texture_storage_2d<r32uint, read_write>;
@compute @workgroup_size(2, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, textureLoad(t, id.xy) * 10u);
}
