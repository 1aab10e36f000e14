// Signed channels of 16 bits keep their sign bit.
//: needs textures
//: in 0:0 i32 -1 2 -32768 32767
//: texture 0:1 2d rgba16sint 1x1
//: out 0:1 u32 0x2ffff 0x7fff8000
@group(0) @binding(0) var<storage, read> values: array<vec4<i32>, 1>;
@group(0) @binding(1) var t: texture_storage_2d<rgba16sint, write>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 1u + id.x]);
}
