// Bitwise reductions of i64.
//: needs subgroups int64
//: subgroup-size 8
//: in  0:0 i64 9223372036854775807 2 -3 4294967296 -5 6 7 -9223372036854775807
//: out 0:1 i64 0 0 0 0 0 0 0 0 -1 -1 -1 -1 -1 -1 -1 -1 -4294967301 -4294967301 -4294967301 -4294967301
//::     -4294967301 -4294967301 -4294967301 -4294967301
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupAnd(a[i]);
    out[8u + i] = subgroupOr(a[i]);
    out[16u + i] = subgroupXor(a[i]);
}
