// Subgroup operations on i16 combine and move whole values.
//: needs subgroups int16
//: in  0:0 i16 -5 300 -7 3
//: out 0:1 i16 291 -5 1 582 -7 300 31500 300 -7 -14 3 6 -5 -5 -5 -5 291 295 -5 582 -7 300 31500 -5
//:: -7 -14 -7 -14 -5 -5 -5 -5 291 288 -1500 582 -7 300 31500 3 -7 -14 300 600 -5 -5 -5 -5 291 291
//:: 10500 582 -7 300 31500 -7 -7 -14 -5 -10 -5 -5 -5 -5
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<i16>>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) {
    let x = a[lane];
    let pair = vec2(x, x + x);
    out[4u * lane] = vec4(subgroupAdd(x), subgroupInclusiveAdd(x), subgroupExclusiveMul(x), subgroupAdd(pair).y);
    out[4u * lane + 1u] = vec4(subgroupMin(x), subgroupMax(x), subgroupMul(x), subgroupShuffle(x, lane ^ 1u));
    out[4u * lane + 2u] = vec4(subgroupBroadcast(pair, 2u), quadSwapDiagonal(pair));
    out[4u * lane + 3u] = vec4(subgroupBroadcastFirst(x));
}
