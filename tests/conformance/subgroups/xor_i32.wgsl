// subgroupXor on i32.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 i32 -1 3 7 15 31 63 127 255 5 5 5 5 5 5 5 5
//: out 0:1 i32 -172*8 0*8
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupXor(a[i]);
}
