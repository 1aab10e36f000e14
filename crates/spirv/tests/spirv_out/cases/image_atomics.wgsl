@group(0) @binding(0) var a: texture_storage_2d<r32uint, atomic>;
@group(0) @binding(1) var b: texture_storage_2d<r32sint, atomic>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureAtomicMax(a, vec2<i32>(id.xy), 7u);
    textureAtomicAdd(a, vec2<i32>(id.xy), 7u);
    textureAtomicXor(b, vec2<i32>(id.xy), 7i);
}
