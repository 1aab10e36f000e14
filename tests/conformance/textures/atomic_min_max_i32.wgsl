// textureAtomicMin and textureAtomicMax of i32 compare signed.
//: needs textures texture_atomics
//: texture 0:0 2d r32sint 2x1
//: in 0:0 i32 50 50
//: out 0:0 i32 -9 60
@group(0) @binding(0) var t: texture_storage_2d<r32sint, atomic>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    var values = array(7, -9, 3, 60);
    textureAtomicMin(t, vec2(0, 0), values[i]);
    textureAtomicMax(t, vec2(1, 0), values[i]);
}
