// Signed 64-bit subtraction wraps, and borrows from the high half.
//: needs int64
//: in  0:0 i64 1 -1 MAX MIN 4294967295 -4294967296 MIN MAX 4294967296 -7
//: in  0:1 i64 2 1 1 -1 1 -1 MIN MAX 3 4294967296
//: out 0:2 i64 -1 -2 9223372036854775806 -9223372036854775807 4294967294 -4294967295 0 0 4294967293
//:: -4294967303
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read> b: array<i64>;
@group(0) @binding(2) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] - b[i];
}
