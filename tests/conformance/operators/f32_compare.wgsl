// Zeros of both signs are equal, and with NaN only != is true.
//: in  0:0 f32 1.0  0.0 nan nan inf -inf 0x1p-149 -1.0
//: in  0:1 f32 2.0 -0.0 1.0 nan inf  inf      0.0 -1.0
//: out 0:2 u32  14   41   2   2  41   14       50   41
//: deviates lavapipe "naga writes != as an ordered comparison" 0:2 u32 =*2 0*2 =*4
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

// One bit for each of == != < <= > >=.
fn compare(x: f32, y: f32) -> u32 {
    return u32(x == y) | (u32(x != y) << 1u) | (u32(x < y) << 2u)
        | (u32(x <= y) << 3u) | (u32(x > y) << 4u) | (u32(x >= y) << 5u);
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = compare(a[i], b[i]);
}
