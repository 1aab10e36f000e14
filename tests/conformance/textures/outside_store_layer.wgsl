// A store to a layer or a slice that is not there does nothing.
//: needs textures
//: texture 0:0 2d-array r32uint 1x1x2
//: texture 0:1 3d r32uint 1x1x2
//: in 0:0 u32 1 2
//: in 0:1 u32 3 4
//: out 0:0 u32 1 9
//: out 0:1 u32 3 9
@group(0) @binding(0) var a: texture_storage_2d_array<r32uint, write>;
@group(0) @binding(1) var b: texture_storage_3d<r32uint, write>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    textureStore(a, vec2(0), i + 1u, vec4(9u));
    textureStore(b, vec3(0u, 0u, i + 1u), vec4(9u));
}
