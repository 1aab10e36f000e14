// The depth of depth32float-stencil8 reads like depth32float.
//: needs textures depth32float_stencil8
//: texture 0:0 2d depth32float-stencil8 2x2 clear=0.375
//: out 0:1 f32 0.375
@group(0) @binding(0) var t: texture_depth_2d;
@group(0) @binding(1) var<storage, read_write> out: f32;
@compute @workgroup_size(1) fn main() { out = textureLoad(t, vec2(1, 0), 0); }
