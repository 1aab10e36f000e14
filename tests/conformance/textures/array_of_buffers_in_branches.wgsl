// Invocations that take no part in a branch neither read nor write the buffers that they would have chosen.
//: needs buffer_arrays non_uniform_arrays
//: workgroups 2
//: array 0:0 3
//: in 0:0 u32 0*192
//: out 0:0 u32 0 0 0 0 0 0 0 0 8 0 0 0 0 0 0 0 16 0 0 0 0 0 0 0 24 0 0 0 0 0 0 0 32 0 0 0 0 0 0 0 40 0 0 0 0 0 0 0 48 0 0 0 0 0 0 0 56 0 0 0 0 0 0 0   0 0 0 0 0 5 0 0 0 0 0 0 0 13 0 0 0 0 0 0 0 21 0 0 0 0 0 0 0 29 0 0 0 0 0 0 0 37 0 0 0 0 0 0 0 45 0 0 0 0 0 0 0 53 0 0 0 0 0 0 0 61 0 0   0 0 2 0 0 0 0 7 0 0 10 0 0 0 0 15 0 0 18 0 0 0 0 23 0 0 26 0 0 0 0 31 0 0 34 0 0 0 0 39 0 0 42 0 0 0 0 47 0 0 50 0 0 0 0 55 0 0 58 0 0 0 0 63
enable wgpu_binding_array;
struct Numbers { numbers: array<u32, 64> }
@group(0) @binding(0) var<storage, read_write> all: binding_array<Numbers, 3>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    // 0 1 2 3 4 5 6 7 choose 0 1 2 2 1 1 0 2.
    let chosen = (0x85a4u >> (2u * (i % 8u))) & 3u;
    if i % 8u == 0u || i % 8u == 2u || i % 8u == 5u || i % 8u == 7u {
        all[chosen].numbers[i] = i + all[chosen].numbers[63u - i] * 100u;
    }
}
