// An invocation that returns early from the entry point leaves the others alone.
//: in  0:0 u32 9 9 9 9
//: out 0:0 u32 9 1 9 3
@group(0) @binding(0) var<storage, read_write> x: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    if i % 2u == 0u {
        return;
    }
    x[i] = i;
}
