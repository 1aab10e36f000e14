// Coordinates and levels of 64 bits count as they are; what does not fit 32 bits is out of bounds.
//: needs textures int64
//: texture 0:0 2d r32uint 4x4
//: in 0:0 u32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115
//: in 0:1 u32 1 2
//: out 0:2 u32 109 109 109 0 0 0
//: deviates lavapipe "crashes" skip
@group(0) @binding(0) var t: texture_2d<u32>;
@group(0) @binding(1) var<storage, read> at: vec2<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 6>;
@compute @workgroup_size(1) fn main() {
    let k = i64(at.x);
    out[0] = textureLoad(t, vec2<i64>(k, i64(at.y)), 0).x;
    out[1] = textureLoad(t, vec2<u64>(u64(at.x), u64(at.y)), 0).x;
    out[2] = textureLoad(t, at, k - 1li).x;
    out[3] = textureLoad(t, vec2<i64>(k + (k << 32u), i64(at.y)), 0).x;
    out[4] = textureLoad(t, vec2<i64>(k, -k), 0).x;
    out[5] = textureLoad(t, at, k << 32u).x;
}
