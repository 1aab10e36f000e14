// workgroupUniformLoad and subgroups in one kernel.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 23*16
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

var<workgroup> agreed: u32;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    let most = subgroupMax(i);
    if i == 15u {
        agreed = most;
    }
    out[i] = workgroupUniformLoad(&agreed) + subgroupAdd(1u);
}
