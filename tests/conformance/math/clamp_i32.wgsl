// Clamping an integer is min(max(x, low), high), also where low is above high.
//: in  0:0 i32 5 -5  0 MIN MAX  5
//: in  0:1 i32 0  0 -1  -1  -1 10
//: in  0:2 i32 3  3  1   1   1  0
//: out 0:3 i32 3  0  0  -1   1  0
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read> c: array<i32>;
@group(0) @binding(3) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = clamp(a[i], b[i], c[i]);
}
