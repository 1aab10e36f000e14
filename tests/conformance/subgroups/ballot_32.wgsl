// A ballot of 32 lanes: a bit for each, 32 to a word; lanes that a last subgroup lacks have none.
//: needs subgroups
//: subgroup-size 32
//: out 0:0 u32 0xb6db6db6 0x0 0x0 0x0 0xb6db6d 0x0 0x0 0x0
@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;

@compute @workgroup_size(56)
fn main(
    @builtin(local_invocation_index) i: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let votes = subgroupBallot(i % 3u != 0u);
    if lane == 8u {
        out[subgroup] = votes;
    }
}
