// Unsigned 64-bit subtraction wraps, and borrows from the high half.
//: needs int64
//: in  0:0 u64 1 0 MAX MAX 4294967295 4294967296 9223372036854775808 3 4294967296 7
//: in  0:1 u64 2 1 1 MAX 1 MAX 9223372036854775808 4294967301 3 4294967296
//: out 0:2 u64 MAX MAX 18446744073709551614 0 4294967294 4294967297 0 18446744069414584318
//:: 4294967293 18446744069414584327
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read> b: array<u64>;
@group(0) @binding(2) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] - b[i];
}
