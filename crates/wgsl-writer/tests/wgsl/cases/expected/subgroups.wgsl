enable subgroups;

@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(subgroup_size) size: u32, @builtin(subgroup_invocation_id) lane: u32) {
    let e1 = subgroupAdd(lane);
    let e2 = subgroupExclusiveAdd(lane);
    let e3 = subgroupInclusiveMul(lane);
    let e4 = subgroupMin(lane);
    var x = e1 + e2 + e3 + e4 + subgroupMax(lane);
    let e5 = x;
    let e6 = subgroupBallot(lane > 2u);
    let e7 = subgroupBroadcast(lane, 3u);
    let e8 = subgroupBroadcastFirst(x);
    x = e5 + (e6.x + e7 + e8 + subgroupShuffle(lane, size - 1u));
    let e9 = x;
    let e10 = subgroupShuffleXor(lane, 1u);
    let e11 = subgroupShuffleUp(lane, 1u);
    let e12 = subgroupShuffleDown(lane, 1u);
    let e13 = subgroupAnd(lane);
    let e14 = subgroupOr(lane);
    x = e9 + (e10 + e11 + e12 + e13 + e14 + subgroupXor(lane));
    let e15 = subgroupAll(x > 0u);
    if e15 & subgroupAny(x == 1u) {
        data[lane] = x;
    }
    let e16 = data[lane];
    let e17 = quadBroadcast(x, 1u);
    let e18 = quadSwapX(x);
    let e19 = quadSwapY(x);
    data[lane] = e16 + (e17 + e18 + e19 + quadSwapDiagonal(x));
}
