// A storage barrier orders writes to storage inside a workgroup.
//: in  0:0 u32 1 2 3 4
//: out 0:0 u32 3 5 7 5
@group(0) @binding(0) var<storage, read_write> x: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    let mine = x[i];
    let next = x[(i + 1u) % 4u];
    storageBarrier();
    x[i] = mine + next;
}
