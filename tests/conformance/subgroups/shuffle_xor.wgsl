// subgroupShuffleXor flips bits of the lane.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 1 0 3 2 5 4 7 6 2 3 0 1 6 7 4 5 3 2 1 0 7 6 5 4 4 5 6 7 0 1 2 3 5 4 7 6 1 0 3 2 6 7 4 5 2 3 0
//::     1 7 6 5 4 3 2 1 0
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var mask = 1u; mask < 8u; mask++) {
        out[(mask - 1u) * 8u + i] = subgroupShuffleXor(i, mask);
    }
}
