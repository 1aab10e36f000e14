// One lane of those that are active can do something for all.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 1*2 0 1*2 0 1 182
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i % 3u != 0u {
        let votes = subgroupBallot(true).x;
        if countTrailingZeros(votes) == i {
            out[7] = votes;
        }
        out[i - 1u] += subgroupBroadcastFirst(i);
    }
}
