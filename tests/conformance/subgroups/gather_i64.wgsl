// Shuffles, broadcasts and quads move i64 and its vectors.
//: needs subgroups int64
//: subgroup-size 8
//: in  0:0 i64 9223372036854775807 2 -3 4294967296 -5 6 7 -9223372036854775807
//: out 0:1 i64 -9223372036854775807 6 7 6 6 6 -5 6 4294967296 6 -3 6 2 6 9223372036854775807 6 2
//::     9223372036854775807 9223372036854775807 2 4294967296 -3 -3 4294967296 6 -5 -5 6 -9223372036854775807
//::     7 7 -9223372036854775807
//: out 0:2 i64 0 0 -3 -3 -3 -3 -3 -3
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read_write> pairs: array<vec2<i64>>;
@group(0) @binding(2) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    pairs[i] = vec2(subgroupShuffle(vec3(x, x, x), 7u - i).z, subgroupBroadcast(x, 5u));
    pairs[8u + i] = vec2(quadSwapX(x), quadSwapX(vec2(x, a[i ^ 1u])).y);
    if i >= 2u {
        out[i] = subgroupBroadcastFirst(x);
    }
}
