// Atomic operations reach the buffer that each invocation chooses; beyond the array they change nothing and give zero.
//: needs buffer_arrays non_uniform_arrays
//: array 0:0 3
//: in 0:0 u32 100 200 300
//: in 0:1 u32 0 2 2 7 0 0 2 1
//: out 0:0 u32 103 201 303
//: out 0:2 u32 303 602 903 0
//: deviates lavapipe "reads beyond the array" skip
enable wgpu_binding_array;
struct Counter { count: atomic<u32> }
@group(0) @binding(0) var<storage, read_write> counters: binding_array<Counter, 3>;
@group(0) @binding(1) var<storage, read> which: array<u32, 8>;
@group(0) @binding(2) var<storage, read_write> sums: array<atomic<u32>, 4>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    let old = atomicAdd(&counters[which[i]].count, 1u);
    // What the invocations of one buffer find adds up, in any order.
    switch which[i] {
        case 0u: { atomicAdd(&sums[0], old); }
        case 1u: { atomicAdd(&sums[1], 3u * old + 2u); }
        case 2u: { atomicAdd(&sums[2], old); }
        default: { atomicAdd(&sums[3], old); }
    }
}
