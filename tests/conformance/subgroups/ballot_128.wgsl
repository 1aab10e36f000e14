// A ballot of 128 lanes: a bit for each, 32 to a word; lanes that a last subgroup lacks have none.
//: needs subgroups
//: subgroup-size 128
//: out 0:0 u32 0xb6db6db6 0x6db6db6d 0xdb6db6db 0xb6db6db6 0x6db6db6d 0xdb6db6db 0xb6db6db6 0x0
@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;

@compute @workgroup_size(224)
fn main(
    @builtin(local_invocation_index) i: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let votes = subgroupBallot(i % 3u != 0u);
    if lane == 32u {
        out[subgroup] = votes;
    }
}
