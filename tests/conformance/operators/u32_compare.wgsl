// Unsigned comparisons put the high bit above everything else.
//: in  0:0 u32  0  1 0x80000000 MAX   5
//: in  0:1 u32  0  2          1   0 MAX
//: out 0:2 u32 41 14         50  50  14
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

// One bit for each of == != < <= > >=.
fn compare(x: u32, y: u32) -> u32 {
    return u32(x == y) | (u32(x != y) << 1u) | (u32(x < y) << 2u)
        | (u32(x <= y) << 3u) | (u32(x > y) << 4u) | (u32(x >= y) << 5u);
}

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = compare(a[i], b[i]);
}
