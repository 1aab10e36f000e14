// A constant lane that this subgroup does not have, but another might, gives zero.
//: needs subgroups
//: subgroup-size 4
//: out 0:0 u32 7*8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupBroadcast(7u, 3u) + subgroupBroadcast(10u, 4u) + subgroupBroadcast(100u, 127u);
}
