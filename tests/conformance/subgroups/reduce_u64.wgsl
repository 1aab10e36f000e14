// subgroupAdd, Mul, Min and Max on u64.
//: needs subgroups int64
//: subgroup-size 8
//: in  0:0 u64 18446744073709551615 2 3 4294967296 5 6 7 9223372036854775808
//: out 0:1 u64 9223372041149743126 9223372041149743126 9223372041149743126 9223372041149743126
//::     9223372041149743126 9223372041149743126 9223372041149743126 9223372041149743126 0 0 0 0 0 0 0 0 2 2 2
//::     2 2 2 2 2 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615
//::     18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupAdd(a[i]);
    out[8u + i] = subgroupMul(a[i]);
    out[16u + i] = subgroupMin(a[i]);
    out[24u + i] = subgroupMax(a[i]);
}
