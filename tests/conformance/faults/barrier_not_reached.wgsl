// A barrier that part of the workgroup never reaches is an error.
//: in  0:0 u32 1 0
//: fails "barrier"
@group(0) @binding(0) var<storage, read_write> go: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    if go[i] == 1u {
        workgroupBarrier();
    }
}
