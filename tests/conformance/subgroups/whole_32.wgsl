// A sum and a shuffle reach all 32 lanes of a subgroup and no others.
//: needs subgroups
//: subgroup-size 32
//: out 0:0 u32 161 157
//: out 0:1 u32 8 1 5 9 2 6 10 3 7 0 4 8 1 5 9 2 6 10 3 7 0 4 8 1 5 9 2 6 10 3 7 0 1 5 9 2 6 10 3 7 0 4 8 1 5
//::     9 2 6 10 3 7 0 4 8 1 5 9 2 6 10 3 7 0 4
@group(0) @binding(0) var<storage, read_write> totals: array<u32>;
@group(0) @binding(1) var<storage, read_write> mirrored: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(local_invocation_index) i: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) size: u32,
) {
    let x = i * 7u % 11u;
    let total = subgroupAdd(x);
    if subgroupBroadcastFirst(i) == i {
        totals[subgroup] = total;
    }
    mirrored[i] = subgroupShuffleXor(x, size - 1u);
}
