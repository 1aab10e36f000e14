// Unsigned 64-bit left shifts take the amount modulo 64.
//: needs int64
//: in  0:0 u64 1311768467463790321 1 3 32769 1 5 5 MAX 9223372036854775808 18446744073709551600
//: in  0:1 u32 0 1 31 32 63 64 65 33 1 131
//: out 0:2 u64 1311768467463790321 2 6442450944 140741783322624 9223372036854775808 5 10
//:: 18446744065119617024 0 18446744073709551488
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] << b[i];
}
