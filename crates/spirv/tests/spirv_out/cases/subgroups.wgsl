enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(32) fn main(@builtin(subgroup_size) size: u32, @builtin(subgroup_invocation_id) i: u32, @builtin(num_subgroups) n: u32, @builtin(subgroup_id) id: u32) {
    var x = subgroupAdd(i) + subgroupExclusiveAdd(i) + subgroupInclusiveMul(i) + subgroupMul(i) + subgroupMin(i) + subgroupMax(i);
    x += subgroupAnd(i) | subgroupOr(i) ^ subgroupXor(i);
    x += subgroupBallot(i > 3u).x + size + n + id;
    x += select(0u, 1u, subgroupAll(i < 9u)) + select(0u, 1u, subgroupAny(i < 9u));
    x += subgroupBroadcast(i, 3u) + subgroupBroadcastFirst(i) + subgroupShuffle(i, 1u) + subgroupShuffleXor(i, 1u) + subgroupShuffleUp(i, 1u) + subgroupShuffleDown(i, 1u);
    x += quadBroadcast(i, 2u) + quadSwapX(i) + quadSwapY(i) + quadSwapDiagonal(i);
    subgroupBarrier();
    out[i] = x + u32(subgroupAdd(f32(i))) + subgroupAdd(vec2<u32>(i)).y;
}
@fragment fn frag(@builtin(subgroup_size) size: u32, @builtin(subgroup_invocation_id) i: u32) -> @location(0) vec4<f32> {
    return vec4<f32>(subgroupAdd(f32(i)), f32(size), 0.0, 1.0);
}
