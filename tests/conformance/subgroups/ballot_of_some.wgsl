// A ballot has no bits of lanes that are not active.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 0x41 0*11 0x41 0*11 0x41 0*7
@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i % 3u == 0u {
        out[i] = subgroupBallot(i != 3u);
    }
}
