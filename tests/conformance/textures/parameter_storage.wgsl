// Storage textures are parameters as well.
//: needs textures
//: texture 0:0 2d r32uint 2x1
//: texture 0:1 2d r32uint 2x1
//: in 0:0 u32 1 2
//: in 0:1 u32 30 40
//: out 0:2 u32 2 40
@group(0) @binding(0) var a: texture_storage_2d<r32uint, read>;
@group(0) @binding(1) var b: texture_storage_2d<r32uint, read>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 2>;
fn second(t: texture_storage_2d<r32uint, read>) -> u32 { return textureLoad(t, vec2(1, 0)).x; }
@compute @workgroup_size(1) fn main() { out = array(second(a), second(b)); }
