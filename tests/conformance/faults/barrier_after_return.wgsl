// Invocations that ended cannot be waited for.
//: in  0:0 u32 0 0 1 0
//: fails "barrier"
@group(0) @binding(0) var<storage, read_write> leave: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    if leave[i] == 1u {
        return;
    }
    workgroupBarrier();
    leave[i] = 5u;
}
