// The level may be a value of the program, of either signedness.
//: needs textures
//: texture 0:0 2d r32uint 4x1 levels=3
//: in 0:0 u32 1 2 3 4  11 12  21
//: in 0:1 u32 2 0 1
//: out 0:2 u32 21 1 11 21 1 11
@group(0) @binding(0) var t: texture_2d<u32>;
@group(0) @binding(1) var<storage, read> levels: array<u32, 3>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 6>;
@compute @workgroup_size(3) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t, vec2(0), levels[i]).x;
    out[i + 3u] = textureLoad(t, vec2(0u), i32(levels[i])).x;
}
