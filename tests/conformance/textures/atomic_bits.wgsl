// textureAtomicAnd, textureAtomicOr and textureAtomicXor combine bits.
//: needs textures texture_atomics
//: texture 0:0 2d r32uint 3x1
//: in 0:0 u32 0xff 0x100 0x3
//: out 0:0 u32 0xf0 0x10f 0xc
@group(0) @binding(0) var t: texture_storage_2d<r32uint, atomic>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    textureAtomicAnd(t, vec2(0, 0), ~(1u << i));
    textureAtomicOr(t, vec2(1, 0), 1u << i);
    textureAtomicXor(t, vec2(2, 0), 1u << i);
}
