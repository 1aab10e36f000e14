// An index past a uniform array reads zero.
//: in  0:0 u32 1 2 3 4  5 6 7 8   9 9 9 9
//: in  0:1 u32 0 1 2 MAX
//: out 0:2 u32 1 5 0 0
//: deviates lavapipe "the index is held to the buffer, not to the array inside it" 0:2 u32 =*2 9 =
@group(0) @binding(0) var<uniform> u: Block;
@group(0) @binding(1) var<storage, read> at: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

struct Block {
    items: array<vec4<u32>, 2>,
    guard: vec4<u32>,
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u.items[at[i]].x;
}
