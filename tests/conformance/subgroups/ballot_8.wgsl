// A ballot of 8 lanes: a bit for each, 32 to a word; lanes that a last subgroup lacks have none.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 0xb6 0x0 0x0 0x0 0x2d 0x0 0x0 0x0
@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;

@compute @workgroup_size(14)
fn main(
    @builtin(local_invocation_index) i: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let votes = subgroupBallot(i % 3u != 0u);
    if lane == 2u {
        out[subgroup] = votes;
    }
}
