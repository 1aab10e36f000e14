// Subgroups of one workgroup go their own ways.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 24*8 15*8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 8u {
        for (var k = 0u; k < 3u; k++) {
            out[i] += subgroupAdd(1u);
        }
    } else {
        out[i] = subgroupMax(i);
    }
}
