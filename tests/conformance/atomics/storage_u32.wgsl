// Every atomic operation on u32 in storage memory returns the old value and stores the new one.
//: in  0:0 u32 0xfffffffb*9
//: out 0:1 u32 0xfffffffb 0xfffffffb 0xfffffffb 0xfffffffb 0xfffffffb 0xfffffffb 0xfffffffb 0xfffffffb 8
//: out 0:0 u32 2 0xfffffff8 0xfffffffb 4 2 0xfffffffb 0xfffffff4 42 8
@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>, 9>;
@group(0) @binding(1) var<storage, read_write> old: array<u32, 9>;

@compute @workgroup_size(1)
fn main() {
    old[0] = atomicAdd(&a[0], 7u);
    old[1] = atomicSub(&a[1], 3u);
    old[2] = atomicMax(&a[2], 4u);
    old[3] = atomicMin(&a[3], 4u);
    old[4] = atomicAnd(&a[4], 6u);
    old[5] = atomicOr(&a[5], 9u);
    old[6] = atomicXor(&a[6], 15u);
    old[7] = atomicExchange(&a[7], 42u);
    atomicStore(&a[8], 8u);
    old[8] = atomicLoad(&a[8]);
}
