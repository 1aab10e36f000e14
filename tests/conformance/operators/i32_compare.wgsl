// Signed comparisons order negative numbers below positive ones.
//: in  0:0 i32  0  1 -1 MIN MAX MIN
//: in  0:1 i32  0  2  1 MAX MIN MIN
//: out 0:2 u32 41 14 14  14  50  41
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

// One bit for each of == != < <= > >=.
fn compare(x: i32, y: i32) -> u32 {
    return u32(x == y) | (u32(x != y) << 1u) | (u32(x < y) << 2u)
        | (u32(x <= y) << 3u) | (u32(x > y) << 4u) | (u32(x >= y) << 5u);
}

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = compare(a[i], b[i]);
}
