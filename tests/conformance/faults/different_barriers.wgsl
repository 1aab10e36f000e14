// Invocations that wait at different barriers never meet.
//: in  0:0 u32 0 1
//: fails "barrier"
@group(0) @binding(0) var<storage, read_write> side: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    if side[i] == 0u {
        workgroupBarrier();
        side[i] = 7u;
    } else {
        workgroupBarrier();
        side[i] = 8u;
    }
}
