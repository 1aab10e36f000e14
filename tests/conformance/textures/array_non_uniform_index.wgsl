// With the feature, every invocation may index an array of textures as it likes.
//: needs textures texture_arrays non_uniform_arrays
//: texture 0:0 2d r32uint 1x1
//: array 0:0 4
//: in 0:0 u32 5 6 7 8
//: in 0:1 u32 3 1 0 2
//: out 0:2 u32 8 6 5 7
enable wgpu_binding_array;
@group(0) @binding(0) var t: binding_array<texture_2d<u32>, 4>;
@group(0) @binding(1) var<storage, read> which: array<u32, 4>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t[which[i]], vec2(0), 0).x;
}
