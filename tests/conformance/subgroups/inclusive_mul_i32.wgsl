// An inclusive product of i32.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 i32 -5 1 -2 3 -4 5 -6 7 -1 -1 -1 -1 -1 -1 -1 -1
//: out 0:1 i32 -5 -5 10 30 -120 -600 3600 25200 -1 1 -1 1 -1 1 -1 1
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupInclusiveMul(a[i]);
}
