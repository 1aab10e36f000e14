// Subgroup operations on u16 combine and move whole values.
//: needs subgroups int16
//: in  0:0 u16 MAX 2 300 5
//: out 0:1 u16 306 MAX 1 612 2 MAX 62536 2 300 600 5 10 MAX MAX MAX MAX 306 1 MAX 612 2 MAX 62536
//:: MAX 300 600 300 600 MAX MAX MAX MAX 306 301 65534 612 2 MAX 62536 5 300 600 2 4 MAX MAX MAX MAX
//:: 306 306 64936 612 2 MAX 62536 300 300 600 MAX 65534 MAX MAX MAX MAX
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u16>>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) {
    let x = a[lane];
    let pair = vec2(x, x + x);
    out[4u * lane] = vec4(subgroupAdd(x), subgroupInclusiveAdd(x), subgroupExclusiveMul(x), subgroupAdd(pair).y);
    out[4u * lane + 1u] = vec4(subgroupMin(x), subgroupMax(x), subgroupMul(x), subgroupShuffle(x, lane ^ 1u));
    out[4u * lane + 2u] = vec4(subgroupBroadcast(pair, 2u), quadSwapDiagonal(pair));
    out[4u * lane + 3u] = vec4(subgroupBroadcastFirst(x));
}
