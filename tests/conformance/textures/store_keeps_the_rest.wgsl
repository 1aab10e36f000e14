// A store changes its texel and no other.
//: needs textures
//: texture 0:0 2d rgba8uint 2x2
//: in 0:0 u32 1 2 3 4
//: out 0:0 u32 1 2 0x0d0c0b0a 4
@group(0) @binding(0) var t: texture_storage_2d<rgba8uint, write>;
@compute @workgroup_size(1) fn main() { textureStore(t, vec2(0, 1), vec4(10u, 11u, 12u, 13u)); }
