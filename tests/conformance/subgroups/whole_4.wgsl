// A sum and a shuffle reach all 4 lanes of a subgroup and no others.
//: needs subgroups
//: subgroup-size 4
//: out 0:0 u32 20 22
//: out 0:1 u32 10 3 7 0 5 9 2 6
@group(0) @binding(0) var<storage, read_write> totals: array<u32>;
@group(0) @binding(1) var<storage, read_write> mirrored: array<u32>;

@compute @workgroup_size(8)
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
