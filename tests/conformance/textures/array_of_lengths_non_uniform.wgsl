// Every invocation asks its own buffer for its length, and reads it as far as it goes.
//: needs buffer_arrays non_uniform_arrays
//: array 0:0 2
//: in 0:0 u32 1 2 3 4  10 20 30 40
//: in 0:1 u32 1 0 9 1
//: out 0:2 u32 3 3 0 3
//: out 0:3 u32 20 3 0 0
//: deviates lavapipe "reads beyond the array" skip
enable wgpu_binding_array;
struct List { first: u32, rest: array<u32> }
@group(0) @binding(0) var<storage, read> lists: binding_array<List, 2>;
@group(0) @binding(1) var<storage, read> which: array<u32, 4>;
@group(0) @binding(2) var<storage, read_write> lengths: array<u32, 4>;
@group(0) @binding(3) var<storage, read_write> out: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    lengths[i] = arrayLength(&lists[which[i]].rest);
    out[i] = lists[which[i]].rest[i];
}
