// textureNumLayers counts the layers of an array.
//: needs textures
//: texture 0:0 2d-array r8unorm 2x2x5
//: texture 0:1 2d-array depth16unorm 2x2x2
//: out 0:2 u32 5 2
@group(0) @binding(0) var a: texture_2d_array<f32>;
@group(0) @binding(1) var b: texture_depth_2d_array;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 2>;
@compute @workgroup_size(1) fn main() { out = array(textureNumLayers(a), textureNumLayers(b)); }
