// Signed 64-bit division truncates toward zero, and x / 0 is x; MIN / -1 is MIN.
//: needs int64
//: in  0:0 i64 7 -7 7 -7 5 MIN MIN MAX 12884901889 -12884901889
//: in  0:1 i64 2 2 -2 -2 0 0 -1 -1 4294967296 7
//: out 0:2 i64 3 -3 -3 3 5 MIN MIN -9223372036854775807 3 -1840700269
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read> b: array<i64>;
@group(0) @binding(2) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] / b[i];
}
