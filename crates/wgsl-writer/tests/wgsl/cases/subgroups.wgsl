enable subgroups;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(subgroup_size) size: u32, @builtin(subgroup_invocation_id) lane: u32) {
    var x = subgroupAdd(lane) + subgroupExclusiveAdd(lane) + subgroupInclusiveMul(lane) + subgroupMin(lane) + subgroupMax(lane);
    x += subgroupBallot(lane > 2u).x + subgroupBroadcast(lane, 3u) + subgroupBroadcastFirst(x) + subgroupShuffle(lane, size - 1u);
    x += subgroupShuffleXor(lane, 1u) + subgroupShuffleUp(lane, 1u) + subgroupShuffleDown(lane, 1u) + subgroupAnd(lane) + subgroupOr(lane) + subgroupXor(lane);
    if subgroupAll(x > 0u) & subgroupAny(x == 1u) { data[lane] = x; }
    data[lane] += quadBroadcast(x, 1u) + quadSwapX(x) + quadSwapY(x) + quadSwapDiagonal(x);
}
