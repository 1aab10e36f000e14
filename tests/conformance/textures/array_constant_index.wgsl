// An array of textures is indexed by constants.
//: needs textures texture_arrays
//: texture 0:0 2d r32uint 1x1
//: array 0:0 3
//: in 0:0 u32 5 6 7
//: out 0:1 u32 7 5 6
enable wgpu_binding_array;
@group(0) @binding(0) var t: binding_array<texture_2d<u32>, 3>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 3>;
@compute @workgroup_size(1) fn main() {
    out[0] = textureLoad(t[2], vec2(0), 0).x;
    out[1] = textureLoad(t[0], vec2(0), 0).x;
    out[2] = textureLoad(t[1], vec2(0), 0).x;
}
