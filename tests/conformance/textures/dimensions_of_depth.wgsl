// Depth textures answer the same questions.
//: needs textures
//: texture 0:0 2d depth16unorm 4x2 levels=2
//: texture 0:1 2d-array depth16unorm 3x3x5
//: out 0:2 u32 4 2 2 1 2 5
@group(0) @binding(0) var a: texture_depth_2d;
@group(0) @binding(1) var b: texture_depth_2d_array;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 6>;
@compute @workgroup_size(1) fn main() {
    let base = textureDimensions(a);
    let second = textureDimensions(a, 1);
    out = array(base.x, base.y, second.x, second.y, textureNumLevels(a), textureNumLayers(b));
}
