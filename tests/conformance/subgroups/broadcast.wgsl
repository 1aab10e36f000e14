// subgroupBroadcast gives every lane the value of the one that a constant names.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 103107*8 111115*8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupBroadcast(100u + i, 3u) * 1000u + subgroupBroadcast(100u + i, 7u);
}
