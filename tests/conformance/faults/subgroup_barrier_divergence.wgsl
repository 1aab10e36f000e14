// A barrier of the workgroup that some lanes of a subgroup never reach is reported.
//: needs subgroups
//: fails "barrier not reached"
//: in  0:0 u32 0*8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 4u {
        workgroupBarrier();
    }
    out[i] = subgroupAdd(1u);
}
