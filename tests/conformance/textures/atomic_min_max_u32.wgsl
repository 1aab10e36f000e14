// textureAtomicMin and textureAtomicMax of u32 compare unsigned.
//: needs textures texture_atomics
//: texture 0:0 2d r32uint 2x1
//: in 0:0 u32 50 50
//: out 0:0 u32 3 0x80000000
@group(0) @binding(0) var t: texture_storage_2d<r32uint, atomic>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    var values = array(7u, 0x80000000u, 3u, 60u);
    textureAtomicMin(t, vec2(0, 0), values[i]);
    textureAtomicMax(t, vec2(1, 0), values[i]);
}
