// A multisampled texture may hold integers.
//: needs textures
//: texture 0:0 2d rgba8uint 2x1 samples=4 clear=1,2,3,255
//: out 0:1 u32 1 2 3 255
@group(0) @binding(0) var t: texture_multisampled_2d<u32>;
@group(0) @binding(1) var<storage, read_write> out: vec4<u32>;
@compute @workgroup_size(1) fn main() { out = textureLoad(t, vec2(1, 0), 3); }
