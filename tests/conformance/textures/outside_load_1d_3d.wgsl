// The same holds in one and in three dimensions.
//: needs textures
//: texture 0:0 1d r32uint 2
//: texture 0:1 3d r32uint 1x1x2
//: in 0:0 u32 7 8
//: in 0:1 u32 9 10
//: out 0:2 u32 8 0 10 0 0
@group(0) @binding(0) var a: texture_1d<u32>;
@group(0) @binding(1) var b: texture_3d<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 5>;
@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {
    out[0] = textureLoad(a, i + 1u, 0).x;
    out[1] = textureLoad(a, i + 2u, 0).x;
    out[2] = textureLoad(b, vec3(i, i, i + 1u), 0).x;
    out[3] = textureLoad(b, vec3(i, i, i + 2u), 0).x;
    out[4] = textureLoad(b, vec3(i, i + 1u, i), 0).x;
}
