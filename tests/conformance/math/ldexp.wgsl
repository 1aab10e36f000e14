// ldexp multiplies by a power of two.
//: in  0:0 f32 1.0  0.75    -3.0     1.0 0x1p-126 0.0        1.5
//: in  0:1 i32   3    -1      10     127      253 100       -126
//: out 0:2 f32 8.0 0.375 -3072.0 0x1p127  0x1p127 0.0 0x1.8p-126
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = ldexp(a[i], b[i]);
}
