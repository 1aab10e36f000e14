// subgroupBroadcastFirst takes the value of the first active lane.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 0*3 3000*5 80*3 11080*5
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupBroadcastFirst(i * 10u);
    if i % 8u >= 3u {
        out[i] += subgroupBroadcastFirst(i * 1000u);
    }
}
