// Shuffles, broadcasts and quads move u64 and its vectors.
//: needs subgroups int64
//: subgroup-size 8
//: in  0:0 u64 18446744073709551615 2 3 4294967296 5 6 7 9223372036854775808
//: out 0:1 u64 9223372036854775808 6 7 6 6 6 5 6 4294967296 6 3 6 2 6 18446744073709551615 6 2
//::     18446744073709551615 18446744073709551615 2 4294967296 3 3 4294967296 6 5 5 6 9223372036854775808 7 7
//::     9223372036854775808
//: out 0:2 u64 0 0 3 3 3 3 3 3
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read_write> pairs: array<vec2<u64>>;
@group(0) @binding(2) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    pairs[i] = vec2(subgroupShuffle(vec3(x, x, x), 7u - i).z, subgroupBroadcast(x, 5u));
    pairs[8u + i] = vec2(quadSwapX(x), quadSwapX(vec2(x, a[i ^ 1u])).y);
    if i >= 2u {
        out[i] = subgroupBroadcastFirst(x);
    }
}
