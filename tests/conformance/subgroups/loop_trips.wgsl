// In a loop lanes are together that are in the same iteration.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 80 87 93 98 102 105 107 108
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var k = 0u; k < i; k++) {
        out[i] += subgroupAdd(1u);
    }
    out[i] += subgroupAdd(10u);
}
