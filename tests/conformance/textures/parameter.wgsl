// A texture goes through parameters, from function to function.
//: needs textures
//: texture 0:0 2d r32uint 2x1
//: texture 0:1 2d r32uint 2x1
//: in 0:0 u32 1 2
//: in 0:1 u32 30 40
//: out 0:2 u32 2 40 42 1 30 31
@group(0) @binding(0) var a: texture_2d<u32>;
@group(0) @binding(1) var b: texture_2d<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 6>;
fn at(t: texture_2d<u32>, x: u32) -> u32 { return textureLoad(t, vec2(x, 0u), 0).x; }
fn last(t: texture_2d<u32>) -> u32 { return at(t, textureDimensions(t).x - 1u); }
fn both(t: texture_2d<u32>, u: texture_2d<u32>, x: u32) -> u32 { return at(t, x) + at(u, x); }
@compute @workgroup_size(1) fn main() {
    out = array(last(a), last(b), both(a, b, 1u), at(a, 0u), at(b, 0u), both(b, a, 0u));
}
