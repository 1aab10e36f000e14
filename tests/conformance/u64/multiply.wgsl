// Unsigned 64-bit multiplication keeps the low 64 bits of the product.
//: needs int64
//: in  0:0 u64 1 0 MAX MAX 4294967295 4294967296 9223372036854775808 3 4294967296 7
//: in  0:1 u64 2 1 1 MAX 1 MAX 9223372036854775808 4294967301 3 4294967296
//: out 0:2 u64 2 0 MAX 1 4294967295 18446744069414584320 0 12884901903 12884901888 30064771072
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read> b: array<u64>;
@group(0) @binding(2) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] * b[i];
}
