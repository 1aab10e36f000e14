// textureNumSamples counts the samples of a multisampled texture; its size is in texels.
//: needs textures
//: texture 0:0 2d rgba8unorm 3x2 samples=4 clear=0
//: texture 0:1 2d depth32float 5x4 samples=4 clear=0
//: out 0:2 u32 4 3 2 4 5 4
@group(0) @binding(0) var a: texture_multisampled_2d<f32>;
@group(0) @binding(1) var b: texture_depth_multisampled_2d;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 6>;
@compute @workgroup_size(1) fn main() {
    let color = textureDimensions(a);
    let depth = textureDimensions(b);
    out = array(textureNumSamples(a), color.x, color.y, textureNumSamples(b), depth.x, depth.y);
}
