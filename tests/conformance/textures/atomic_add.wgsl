// textureAtomicAdd of all invocations adds up.
//: needs textures texture_atomics
//: workgroups 4
//: texture 0:0 2d r32uint 2x1
//: in 0:0 u32 100 0xffffffff
//: out 0:0 u32 2116 63
@group(0) @binding(0) var t: texture_storage_2d<r32uint, atomic>;
@compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureAtomicAdd(t, vec2(0, 0), id.x);
    textureAtomicAdd(t, vec2(1, 0), 1u);
}
