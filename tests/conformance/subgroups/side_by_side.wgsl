// Several operations in one expression are done from left to right.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 752*8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupMax(i) * 100u + subgroupMin(subgroupShuffleXor(i + 5u, 1u)) * 10u + subgroupBroadcast(i, 2u);
}
