// Signed division truncates toward zero; x / 0 is x and MIN / -1 is MIN.
//: in  0:0 i32 7 -7  7 -7 5 -5 MIN MIN MIN         MAX 0
//: in  0:1 i32 2  2 -2 -2 0  0  -1   0   1          -1 0
//: out 0:2 i32 3 -3 -3  3 5 -5 MIN MIN MIN -2147483647 0
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(11)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] / b[i];
}
