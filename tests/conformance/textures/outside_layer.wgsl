// A load from a layer that is not there gives zeros.
//: needs textures
//: texture 0:0 2d-array r32uint 1x1x2
//: in 0:0 u32 7 8
//: in 0:1 i32 1 2 -1 65536
//: out 0:2 u32 8 0 0 0
@group(0) @binding(0) var t: texture_2d_array<u32>;
@group(0) @binding(1) var<storage, read> layers: array<i32, 4>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t, vec2(0), layers[i], 0).x;
}
