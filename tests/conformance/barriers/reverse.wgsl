// After a barrier each invocation sees what the others wrote before it.
//: in  0:0 u32 1 2 3 4 5 6 7 8
//: out 0:0 u32 8 7 6 5 4 3 2 1
@group(0) @binding(0) var<storage, read_write> x: array<u32>;

var<workgroup> copy: array<u32, 8>;

@compute @workgroup_size(4, 2)
fn main(@builtin(local_invocation_index) i: u32) {
    copy[i] = x[i];
    workgroupBarrier();
    x[i] = copy[7u - i];
}
