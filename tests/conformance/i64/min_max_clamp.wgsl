// Signed 64-bit min, max and clamp.
//: needs int64
//: in  0:0 i64 0 5 MAX MIN 3 4294967296
//: in  0:1 i64 1 5 MIN MAX -3 1
//: out 0:2 i64 1 15 -103 -1 -9 12884901989
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read> b: array<i64>;
@group(0) @binding(2) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = min(a[i], b[i]) ^ (max(a[i], b[i]) * i64(3)) ^ clamp(a[i], i64(2), i64(100));
}
