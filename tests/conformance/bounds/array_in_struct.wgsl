// An index past a fixed array stays inside the array, even where the buffer goes on behind it.
//: in  0:0 u32 1 2 3   70 71 72
//: in  0:1 u32 0 3 5 MAX
//: out 0:2 u32 1 0 0 0
//: out 0:0 u32 50 2 3   70 71 72
//: deviates lavapipe "the index is held to the buffer, not to the array inside it" 0:2 u32 = 70 72 =
//: deviates lavapipe "the index is held to the buffer, not to the array inside it" 0:0 u32 =*3 51 = 52
@group(0) @binding(0) var<storage, read_write> s: Data;
@group(0) @binding(1) var<storage, read> at: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

struct Data {
    items: array<u32, 3>,
    guard: array<u32, 3>,
}

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 4u; i++) {
        out[i] = s.items[at[i]];
    }
    for (var i = 0u; i < 4u; i++) {
        s.items[at[i]] = 50u + i;
    }
}
