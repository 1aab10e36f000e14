// Unsigned 64-bit addition wraps, and carries from the low half into the high one.
//: needs int64
//: in  0:0 u64 1 0 MAX MAX 4294967295 4294967296 9223372036854775808 3 4294967296 7
//: in  0:1 u64 2 1 1 MAX 1 MAX 9223372036854775808 4294967301 3 4294967296
//: out 0:2 u64 3 1 0 18446744073709551614 4294967296 4294967295 0 4294967304 4294967299 4294967303
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read> b: array<u64>;
@group(0) @binding(2) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] + b[i];
}
