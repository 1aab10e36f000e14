// What is outside is decided by the size of the level.
//: needs textures
//: texture 0:0 2d r32uint 4x4 levels=2
//: in 0:0 u32 7*16 8*4
//: out 0:1 u32 7 8 0
@group(0) @binding(0) var t: texture_2d<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 3>;
@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {
    out[0] = textureLoad(t, vec2(2u, 1u) + i, 0).x;
    out[1] = textureLoad(t, vec2(1u, 1u) + i, 1).x;
    out[2] = textureLoad(t, vec2(2u, 1u) + i, 1).x;
}
