// textureDimensions gives as many numbers as the texture has axes.
//: needs textures
//: texture 0:0 1d r8unorm 5
//: texture 0:1 2d r8unorm 6x7
//: texture 0:2 2d-array r8unorm 8x9x3
//: texture 0:3 3d r8unorm 2x3x4
//: out 0:4 u32 5 6 7 8 9 2 3 4
@group(0) @binding(0) var a: texture_1d<f32>;
@group(0) @binding(1) var b: texture_2d<f32>;
@group(0) @binding(2) var c: texture_2d_array<f32>;
@group(0) @binding(3) var d: texture_3d<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<u32, 8>;
@compute @workgroup_size(1) fn main() {
    out[0] = textureDimensions(a);
    let flat = textureDimensions(b);
    let layered = textureDimensions(c);
    let deep = textureDimensions(d);
    out[1] = flat.x;
    out[2] = flat.y;
    out[3] = layered.x;
    out[4] = layered.y;
    out[5] = deep.x;
    out[6] = deep.y;
    out[7] = deep.z;
}
