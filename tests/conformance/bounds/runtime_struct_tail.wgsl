// A runtime array of structs: an index past the last whole element reads zero and writes nothing.
// The buffer holds two elements and half of a third.
//: in  0:0 u32 1 2  3 4  5
//: in  0:1 u32 1 2
//: out 0:2 u32 4 0
//: out 0:0 u32 1 2  3 60  5
@group(0) @binding(0) var<storage, read_write> a: array<Pair>;
@group(0) @binding(1) var<storage, read> at: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

struct Pair {
    x: u32,
    y: u32,
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[at[i]].y;
    a[at[i]].y = 60u;
}
