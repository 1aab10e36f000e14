// A loop with a barrier must make the same number of passes in all invocations.
//: in  0:0 u32 2 3
//: fails "barrier"
@group(0) @binding(0) var<storage, read_write> passes: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    let count = passes[i];
    for (var k = 0u; k < count; k++) {
        workgroupBarrier();
    }
}
