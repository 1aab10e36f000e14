// An index beyond an array of textures gives zeros, as our choice: nothing foreign is read.
//: needs textures texture_arrays non_uniform_arrays
//: texture 0:0 2d r32uint 1x1
//: array 0:0 2
//: in 0:0 u32 5 6
//: in 0:1 u32 1 2 0xffffffff
//: out 0:2 u32 6 0 0 1 0 0
//: deviates lavapipe "reads beyond the array" skip
enable wgpu_binding_array;
@group(0) @binding(0) var t: binding_array<texture_2d<u32>, 2>;
@group(0) @binding(1) var<storage, read> which: array<u32, 3>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 6>;
@compute @workgroup_size(3) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t[which[i]], vec2(0), 0).x;
    out[i + 3u] = textureDimensions(t[which[i]]).x;
}
