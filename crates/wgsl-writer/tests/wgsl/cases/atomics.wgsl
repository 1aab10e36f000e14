struct Counters { a: atomic<u32>, b: array<atomic<i32>, 4> }
@group(0) @binding(0) var<storage, read_write> counters: Counters;
var<workgroup> total: atomic<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {
    atomicStore(&total, 0u);
    workgroupBarrier();
    let old = atomicAdd(&total, lane);
    atomicSub(&counters.a, 1u);
    atomicMax(&counters.b[lane & 3u], i32(lane));
    atomicOr(&counters.a, 4u); atomicAnd(&counters.a, 7u); atomicXor(&counters.a, 1u); atomicMin(&counters.a, 9u);
    let r = atomicCompareExchangeWeak(&counters.a, old, old + 1u);
    if r.exchanged { tile[lane] = r.old_value; }
    tile[lane] += atomicExchange(&total, 3u) + atomicLoad(&total);
    storageBarrier();
    let n = workgroupUniformLoad(&tile);
    tile[lane] = n[0];
}
