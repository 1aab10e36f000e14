// Slices halve from level to level in three dimensions, too.
//: needs textures
//: texture 0:0 3d r32uint 2x1x4 levels=2
//: in 0:0 u32 1 2 3 4 5 6 7 8  20 21
//: out 0:1 u32 8 20 21
@group(0) @binding(0) var t: texture_3d<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 3>;
@compute @workgroup_size(1) fn main() {
    out[0] = textureLoad(t, vec3(1, 0, 3), 0).x;
    out[1] = textureLoad(t, vec3(0, 0, 0), 1).x;
    out[2] = textureLoad(t, vec3(0, 0, 1), 1).x;
}
