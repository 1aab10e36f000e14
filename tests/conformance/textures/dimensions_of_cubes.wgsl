// The size of a cube is that of a face; the layers of an array of cubes are whole cubes.
//: needs textures
//: texture 0:0 cube r8unorm 4x4x6 levels=2
//: texture 0:1 cube-array r8unorm 2x2x12
//: out 0:2 u32 4 4 2 2 2 2 2
@group(0) @binding(0) var a: texture_cube<f32>;
@group(0) @binding(1) var b: texture_cube_array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 7>;
@compute @workgroup_size(1) fn main() {
    let size = textureDimensions(a);
    let level = textureDimensions(a, 1);
    let cubes = textureDimensions(b);
    out = array(size.x, size.y, level.x, level.y, textureNumLevels(a), cubes.x, textureNumLayers(b));
}
