// Signed 64-bit addition wraps, and carries from the low half into the high one.
//: needs int64
//: in  0:0 i64 1 -1 MAX MIN 4294967295 -4294967296 MIN MAX 4294967296 -7
//: in  0:1 i64 2 1 1 -1 1 -1 MIN MAX 3 4294967296
//: out 0:2 i64 3 0 MIN MAX 4294967296 -4294967297 0 -2 4294967299 4294967289
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read> b: array<i64>;
@group(0) @binding(2) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] + b[i];
}
