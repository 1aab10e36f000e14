// A ballot without a predicate is of all active lanes.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 0xff*5 0xe0*3
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupBallot().x;
    if i > 4u {
        out[i] = subgroupBallot().x;
    }
}
