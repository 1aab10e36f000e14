// A left shift of a signed integer takes the amount modulo 32.
//: in  0:0 i32 1   1  -1 MIN  1  1   3  -8 1073741824
//: in  0:1 u32 0  31   4   1 32 33  63 MAX          1
//: out 0:2 i32 1 MIN -16   0  1  2 MIN   0        MIN
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(9)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] << b[i];
}
