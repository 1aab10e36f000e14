// textureNumLevels counts the mip levels.
//: needs textures
//: texture 0:0 2d r8unorm 8x8 levels=4
//: texture 0:1 3d r8unorm 4x4x4 levels=3
//: texture 0:2 2d-array r8unorm 8x8x2
//: out 0:3 u32 4 3 1
@group(0) @binding(0) var a: texture_2d<f32>;
@group(0) @binding(1) var b: texture_3d<f32>;
@group(0) @binding(2) var c: texture_2d_array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<u32, 3>;
@compute @workgroup_size(1) fn main() {
    out = array(textureNumLevels(a), textureNumLevels(b), textureNumLevels(c));
}
