// Every layer of an array has every level; layers do not halve.
//: needs textures
//: texture 0:0 2d-array r32uint 2x2x2 levels=2
//: in 0:0 u32 1 2 3 4 5 6 7 8  20 21
//: out 0:1 u32 4 8 20 21
@group(0) @binding(0) var t: texture_2d_array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 4>;
@compute @workgroup_size(1) fn main() {
    out[0] = textureLoad(t, vec2(1, 1), 0, 0).x;
    out[1] = textureLoad(t, vec2(1, 1), 1, 0).x;
    out[2] = textureLoad(t, vec2(0, 0), 0, 1).x;
    out[3] = textureLoad(t, vec2(0, 0), 1, 1).x;
}
