// Atomic variables in an array of buffers work by index.
//: needs buffer_arrays
//: array 0:0 2
//: in 0:0 u32 0 100
//: out 0:0 u32 8 116
enable wgpu_binding_array;
struct Counter { count: atomic<u32> }
@group(0) @binding(0) var<storage, read_write> counters: binding_array<Counter, 2>;
@compute @workgroup_size(8) fn main() {
    atomicAdd(&counters[0].count, 1u);
    atomicAdd(&counters[1].count, 2u);
}
