// Atomic updates of one word by all invocations of many workgroups lose nothing.
//: workgroups 16,4
//: out 0:0 u32 4096 4095 MAX 0
@group(0) @binding(0) var<storage, read_write> total: Totals;

struct Totals {
    count: atomic<u32>,
    highest: atomic<u32>,
    bits: atomic<u32>,
    parity: atomic<u32>,
}

@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) i: u32) {
    let id = (group.y * 16u + group.x) * 64u + i;
    atomicAdd(&total.count, 1u);
    atomicMax(&total.highest, id);
    atomicOr(&total.bits, 1u << (id % 32u));
    atomicXor(&total.parity, id);
}
