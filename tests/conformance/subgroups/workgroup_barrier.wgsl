// Subgroups with different ways meet at a barrier of the workgroup.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 502*32
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

var<workgroup> totals: array<u32, 4>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_id) subgroup: u32) {
    var total = subgroupAdd(i);
    for (var k = 0u; k < subgroup; k++) {
        total = subgroupMax(total + 1u);
    }
    if i % 8u == 0u {
        totals[subgroup] = total;
    }
    workgroupBarrier();
    out[i] = totals[0] + totals[1] + totals[2] + totals[3];
}
