// An array without a size has as many textures as are bound.
//: needs textures texture_arrays
//: texture 0:0 2d r32uint 1x1
//: array 0:0 2
//: in 0:0 u32 5 6
//: out 0:1 u32 6
enable wgpu_binding_array;
@group(0) @binding(0) var t: binding_array<texture_2d<u32>>;
@group(0) @binding(1) var<storage, read_write> out: u32;
@compute @workgroup_size(1) fn main() { out = textureLoad(t[1], vec2(0), 0).x; }
