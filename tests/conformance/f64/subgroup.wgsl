// Subgroup operations on f64 combine and move whole values.
//: needs subgroups f64
//: in  0:0 f64 0.125 2.5 -3.0 4.0
//: out 0:1 f64 3.625 0.125 1.0 7.25 -3.0 4.0 -3.75 2.5 -3.0 -6.0 4.0 8.0 0.125 0.125 0.125 0.125
//:: 3.625 2.625 0.125 7.25 -3.0 4.0 -3.75 0.125 -3.0 -6.0 -3.0 -6.0 0.125 0.125 0.125 0.125 3.625
//:: -0.375 0.3125 7.25 -3.0 4.0 -3.75 4.0 -3.0 -6.0 2.5 5.0 0.125 0.125 0.125 0.125 3.625 3.625
//:: -0.9375 7.25 -3.0 4.0 -3.75 -3.0 -3.0 -6.0 0.125 0.25 0.125 0.125 0.125 0.125
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f64>>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) {
    let x = a[lane];
    let pair = vec2(x, x + x);
    out[4u * lane] = vec4(subgroupAdd(x), subgroupInclusiveAdd(x), subgroupExclusiveMul(x), subgroupAdd(pair).y);
    out[4u * lane + 1u] = vec4(subgroupMin(x), subgroupMax(x), subgroupMul(x), subgroupShuffle(x, lane ^ 1u));
    out[4u * lane + 2u] = vec4(subgroupBroadcast(pair, 2u), quadSwapDiagonal(pair));
    out[4u * lane + 3u] = vec4(subgroupBroadcastFirst(x));
}
