// subgroupMin on i32 is signed.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 i32 9 8 -1 7 6 -2147483648 5 11 2147483647 2147483647 2147483647 2147483647 2147483647 2147483647
//::     2147483647 2147483647
//: out 0:1 i32 -2147483648*8 2147483647*8
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupMin(a[i]);
}
