// An inclusive sum of i32.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 i32 -5 1 -2 3 -4 5 -6 7 2147483647 2147483647 2147483647 2147483647 2147483647 2147483647
//::     2147483647 2147483647
//: out 0:1 i32 -5 -4 -6 -3 -7 -2 -8 -1 2147483647 -2 2147483645 -4 2147483643 -6 2147483641 -8
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupInclusiveAdd(a[i]);
}
