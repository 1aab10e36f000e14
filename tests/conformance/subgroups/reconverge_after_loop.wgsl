// Behind a loop that lanes left at different times all are together.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 85*8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var k = i;
    while k != 0u {
        k /= 2u;
    }
    out[i] = subgroupBallot(i % 2u == 0u).x;
}
