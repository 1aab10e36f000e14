// Coordinates and values are those of the moment of the call, whatever happens to variables later.
//: needs textures
//: texture 0:0 2d r32uint 4x1
//: in 0:0 u32 1 2 3 4
//: out 0:1 u32 1 3 2
@group(0) @binding(0) var t: texture_2d<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 3>;
@compute @workgroup_size(1) fn main() {
    var at = vec2(0u, 0u);
    let first = textureLoad(t, at, 0).x;
    at.x = 2u;
    let second = textureLoad(t, at, 0).x;
    at.x -= 1u;
    out[2] = textureLoad(t, at, 0).x;
    out[0] = first;
    out[1] = second;
}
