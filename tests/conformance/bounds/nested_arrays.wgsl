// Each index of nested arrays is held to its own array.
//: in  0:0 u32 1 2  3 4  5 6
//: in  0:1 u32 1 0   1 2   3 0   2 1
//: out 0:2 u32 3 0 0 6
//: deviates lavapipe "the index is held to the buffer, not to the array inside it" 0:2 u32 = 5 =*2
@group(0) @binding(0) var<storage, read> a: array<array<u32, 2>, 3>;
@group(0) @binding(1) var<storage, read> at: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[at[i].x][at[i].y];
}
