// Storage textures have dimensions and layers, too.
//: needs textures
//: texture 0:0 1d r32uint 5
//: texture 0:1 2d-array r32uint 3x2x4
//: texture 0:2 3d rgba8unorm 1x2x3
//: out 0:3 u32 5 3 2 4 1 2 3
@group(0) @binding(0) var a: texture_storage_1d<r32uint, write>;
@group(0) @binding(1) var b: texture_storage_2d_array<r32uint, write>;
@group(0) @binding(2) var c: texture_storage_3d<rgba8unorm, write>;
@group(0) @binding(3) var<storage, read_write> out: array<u32, 7>;
@compute @workgroup_size(1) fn main() {
    let flat = textureDimensions(b);
    let deep = textureDimensions(c);
    out = array(textureDimensions(a), flat.x, flat.y, textureNumLayers(b), deep.x, deep.y, deep.z);
}
