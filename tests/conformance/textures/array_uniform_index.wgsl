// An array of textures is indexed by a value that is the same for all invocations.
//: needs textures texture_arrays
//: texture 0:0 2d r32uint 2x1
//: array 0:0 2
//: in 0:0 u32 5 6 7 8
//: in 1:0 u32 1
//: out 0:1 u32 7 8
enable wgpu_binding_array;
@group(0) @binding(0) var t: binding_array<texture_2d<u32>, 2>;
@group(1) @binding(0) var<uniform> which: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 2>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t[which], vec2(i, 0u), 0).x;
}
