// textureAtomicMin and textureAtomicMax of r64uint compare 64 bits.
//: needs textures texture_atomics texture_int64_atomics int64
//: texture 0:0 2d r64uint 2x1
//: in 0:0 u32 5 1 5 1
//: out 0:0 u32 9 0 6 1
@group(0) @binding(0) var t: texture_storage_2d<r64uint, atomic>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    var values = array<u64, 4>(4294967302lu, 9lu, 4294967296lu, 4294967300lu);
    textureAtomicMin(t, vec2(0, 0), values[i]);
    textureAtomicMax(t, vec2(1, 0), values[i]);
}
