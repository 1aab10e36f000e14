// atomicLoad and atomicStore of 64 bits never show half of a value.
//: needs int64_atomics int64
//: workgroups 16
//: in  0:0 u64 0
//: out 0:1 u32 0
@group(0) @binding(0) var<storage, read_write> a: atomic<u64>;
@group(0) @binding(1) var<storage, read_write> torn: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    for (var i = 0u; i < 16u; i++) {
        let n = u64(id.x * 16u + i);
        atomicStore(&a, n << 32u | n);
        let seen = atomicLoad(&a);
        if (seen >> 32u) != (seen & 0xfffffffflu) {
            atomicAdd(&torn, 1u);
        }
    }
}
