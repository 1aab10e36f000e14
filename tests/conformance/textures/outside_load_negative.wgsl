// Negative coordinates are outside.
//: needs textures
//: texture 0:0 2d r32uint 2x2
//: in 0:0 u32 7 7 7 7
//: out 0:1 u32 7 0 0 0
@group(0) @binding(0) var t: texture_2d<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    var at = array(vec2(0, 0), vec2(-1, 0), vec2(0, -1), vec2(-2147483647, 1));
    out[i] = textureLoad(t, at[i], 0).x;
}
