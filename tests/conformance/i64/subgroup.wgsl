// Subgroup operations on i64 combine and move whole values.
//: needs subgroups int64
//: in  0:0 i64 -5 1099511627776 -7 3
//: out 0:1 i64 1099511627767 -5 1 2199023255534 -7 1099511627776 115448720916480 1099511627776 -7
//:: -14 3 6 -5 -5 -5 -5 1099511627767 1099511627771 -5 2199023255534 -7 1099511627776
//:: 115448720916480 -5 -7 -14 -7 -14 -5 -5 -5 -5 1099511627767 1099511627764 -5497558138880
//:: 2199023255534 -7 1099511627776 115448720916480 3 -7 -14 1099511627776 2199023255552 -5 -5 -5 -5
//:: 1099511627767 1099511627767 38482906972160 2199023255534 -7 1099511627776 115448720916480 -7 -7
//:: -14 -5 -10 -5 -5 -5 -5
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<i64>>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) {
    let x = a[lane];
    let pair = vec2(x, x + x);
    out[4u * lane] = vec4(subgroupAdd(x), subgroupInclusiveAdd(x), subgroupExclusiveMul(x), subgroupAdd(pair).y);
    out[4u * lane + 1u] = vec4(subgroupMin(x), subgroupMax(x), subgroupMul(x), subgroupShuffle(x, lane ^ 1u));
    out[4u * lane + 2u] = vec4(subgroupBroadcast(pair, 2u), quadSwapDiagonal(pair));
    out[4u * lane + 3u] = vec4(subgroupBroadcastFirst(x));
}
