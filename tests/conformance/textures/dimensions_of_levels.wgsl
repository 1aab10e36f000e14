// textureDimensions with a level gives the size of that level.
//: needs textures
//: texture 0:0 2d r8unorm 12x5 levels=4
//: texture 0:1 3d r8unorm 4x2x8 levels=3
//: out 0:2 u32 12 5 6 2 3 1 1 1  4 2 8 2 1 4 1 1 2
@group(0) @binding(0) var a: texture_2d<f32>;
@group(0) @binding(1) var b: texture_3d<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 17>;
@compute @workgroup_size(1) fn main() {
    for (var i = 0u; i < 4u; i++) {
        let size = textureDimensions(a, i);
        out[i * 2u] = size.x;
        out[i * 2u + 1u] = size.y;
    }
    for (var i = 0u; i < 3u; i++) {
        let size = textureDimensions(b, i);
        out[8u + i * 3u] = size.x;
        out[9u + i * 3u] = size.y;
        out[10u + i * 3u] = size.z;
    }
}
