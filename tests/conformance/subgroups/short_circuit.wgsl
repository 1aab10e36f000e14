// The right side of && and || has only the lanes that come to it.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 11*4 10*4
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 4u && subgroupAdd(1u) == 4u {
        out[i] = 1u;
    }
    if i < 4u || subgroupAdd(1u) == 4u {
        out[i] += 10u;
    }
}
