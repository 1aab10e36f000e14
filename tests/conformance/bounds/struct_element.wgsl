// A whole struct read out of range is zero, and a whole struct written there vanishes.
//: in  0:0 u32 1 2 3 4
//: in  0:1 u32 1 2 MAX
//: out 0:2 u32 3 4  0 0  0 0
//: out 0:0 u32 1 2 7 8
@group(0) @binding(0) var<storage, read_write> a: array<Pair>;
@group(0) @binding(1) var<storage, read> at: array<u32, 3>;
@group(0) @binding(2) var<storage, read_write> out: array<Pair, 3>;

struct Pair {
    x: u32,
    y: u32,
}

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 3u; i++) {
        out[i] = a[at[i]];
        a[at[i]] = Pair(7u, 8u);
    }
}
