// The level selects a mip level: half the size along each axis, but never less than one texel.
//: needs textures
//: texture 0:0 2d r32uint 4x2 levels=3
//: in 0:0 u32 1 2 3 4 5 6 7 8  11 12  21
//: out 0:1 u32 4 5 12 21
@group(0) @binding(0) var t: texture_2d<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 4>;
@compute @workgroup_size(1) fn main() {
    out[0] = textureLoad(t, vec2(3, 0), 0).x;
    out[1] = textureLoad(t, vec2(0, 1), 0).x;
    out[2] = textureLoad(t, vec2(1, 0), 1).x;
    out[3] = textureLoad(t, vec2(0, 0), 2).x;
}
