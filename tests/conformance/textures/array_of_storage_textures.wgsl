// Storage textures of an array are stored to by index.
//: needs textures storage_texture_arrays
//: texture 0:0 2d r32uint 1x1
//: array 0:0 3
//: out 0:0 u32 10 11 12
enable wgpu_binding_array;
@group(0) @binding(0) var t: binding_array<texture_storage_2d<r32uint, write>, 3>;
@compute @workgroup_size(1) fn main() {
    textureStore(t[0], vec2(0), vec4(10u));
    textureStore(t[1], vec2(0), vec4(11u));
    textureStore(t[2], vec2(0), vec4(12u));
}
