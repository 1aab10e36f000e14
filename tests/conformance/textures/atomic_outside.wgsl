// A texture atomic outside the texture does nothing.
//: needs textures texture_atomics
//: texture 0:0 2d r32uint 2x1
//: in 0:0 u32 1 2
//: out 0:0 u32 1 3
@group(0) @binding(0) var t: texture_storage_2d<r32uint, atomic>;
@compute @workgroup_size(3) fn main(@builtin(local_invocation_index) i: u32) {
    textureAtomicAdd(t, vec2(1u + i, 0u), 1u);
}
