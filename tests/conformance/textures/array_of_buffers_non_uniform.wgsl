// With the feature, every invocation indexes an array of buffers as it likes.
//: needs buffer_arrays non_uniform_arrays
//: array 0:0 4
//: in 0:0 u32 5 6 7 8
//: in 0:1 u32 3 1 0 2
//: out 0:2 u32 8 6 5 7
enable wgpu_binding_array;
struct One { value: u32 }
@group(0) @binding(0) var<storage, read> ones: binding_array<One, 4>;
@group(0) @binding(1) var<storage, read> which: array<u32, 4>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = ones[which[i]].value;
}
