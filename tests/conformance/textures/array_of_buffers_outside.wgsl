// An index beyond an array of buffers reads zero and writes nothing, as our choice.
//: needs buffer_arrays non_uniform_arrays
//: array 0:0 2
//: in 0:0 u32 5 6
//: in 0:1 u32 1 2 0xffffffff
//: out 0:0 u32 5 9
//: out 0:2 u32 6 0 0
//: deviates lavapipe "reads beyond the array" skip
enable wgpu_binding_array;
struct One { value: u32 }
@group(0) @binding(0) var<storage, read_write> ones: binding_array<One, 2>;
@group(0) @binding(1) var<storage, read> which: array<u32, 3>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 3>;
@compute @workgroup_size(3) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = ones[which[i]].value;
    ones[which[i]].value = 9u;
}
