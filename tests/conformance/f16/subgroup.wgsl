// Subgroup operations on f16 combine and move whole values.
//: needs subgroups f16
//: in  0:0 f16 1.5 2.5 -3.0 4.0
//: out 0:1 f16 5.0 1.5 1.0 10.0 -3.0 4.0 -45.0 2.5 -3.0 -6.0 4.0 8.0 1.5 1.5 1.5 1.5 5.0 4.0 1.5
//:: 10.0 -3.0 4.0 -45.0 1.5 -3.0 -6.0 -3.0 -6.0 1.5 1.5 1.5 1.5 5.0 1.0 3.75 10.0 -3.0 4.0 -45.0
//:: 4.0 -3.0 -6.0 2.5 5.0 1.5 1.5 1.5 1.5 5.0 5.0 -11.25 10.0 -3.0 4.0 -45.0 -3.0 -3.0 -6.0 1.5 3.0
//:: 1.5 1.5 1.5 1.5
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f16>>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) {
    let x = a[lane];
    let pair = vec2(x, x + x);
    out[4u * lane] = vec4(subgroupAdd(x), subgroupInclusiveAdd(x), subgroupExclusiveMul(x), subgroupAdd(pair).y);
    out[4u * lane + 1u] = vec4(subgroupMin(x), subgroupMax(x), subgroupMul(x), subgroupShuffle(x, lane ^ 1u));
    out[4u * lane + 2u] = vec4(subgroupBroadcast(pair, 2u), quadSwapDiagonal(pair));
    out[4u * lane + 3u] = vec4(subgroupBroadcastFirst(x));
}
