// A signed integer beyond the format's range becomes the nearest in range, as our choice.
//: needs textures
//: in 0:0 i32 128 -129 2147483647 -2147483648
//: texture 0:1 2d rgba8sint 1x1
//: out 0:1 u32 0x807f807f
@group(0) @binding(0) var<storage, read> values: array<vec4<i32>, 1>;
@group(0) @binding(1) var t: texture_storage_2d<rgba8sint, write>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 1u + id.x]);
}
