// Texture atomics reach every layer, and every slice.
//: needs textures texture_atomics
//: texture 0:0 2d-array r32uint 1x1x2
//: texture 0:1 3d r32uint 1x1x2
//: out 0:0 u32 4 8
//: out 0:1 u32 4 8
@group(0) @binding(0) var a: texture_storage_2d_array<r32uint, atomic>;
@group(0) @binding(1) var b: texture_storage_3d<r32uint, atomic>;
@compute @workgroup_size(4) fn main() {
    textureAtomicAdd(a, vec2(0), 0, 1u);
    textureAtomicAdd(a, vec2(0), 1, 2u);
    textureAtomicAdd(b, vec3(0, 0, 0), 1u);
    textureAtomicAdd(b, vec3(0, 0, 1), 2u);
}
