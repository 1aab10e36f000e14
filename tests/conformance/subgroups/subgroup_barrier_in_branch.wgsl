// A subgroup barrier in a branch is for the lanes of the branch.
//: needs subgroups subgroup_barrier
//: subgroup-size 8
//: out 0:0 u32 13 12 11 10 10 11 12 13
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

var<workgroup> tile: array<u32, 8>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 4u {
        tile[i] = i + 10u;
        subgroupBarrier();
        out[i] = tile[3u - i];
    }
    subgroupBarrier();
    if i >= 4u {
        out[i] = tile[i - 4u];
    }
}
