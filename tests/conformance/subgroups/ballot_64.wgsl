// A ballot of 64 lanes: a bit for each, 32 to a word; lanes that a last subgroup lacks have none.
//: needs subgroups
//: subgroup-size 64
//: out 0:0 u32 0xb6db6db6 0x6db6db6d 0x0 0x0 0xdb6db6db 0x6db6 0x0 0x0
@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;

@compute @workgroup_size(112)
fn main(
    @builtin(local_invocation_index) i: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let votes = subgroupBallot(i % 3u != 0u);
    if lane == 16u {
        out[subgroup] = votes;
    }
}
