// Unsigned 64-bit min, max and clamp.
//: needs int64
//: in  0:0 u64 0 5 MAX 0 3 4294967296
//: in  0:1 u64 1 5 0 MAX 18446744073709551613 1
//: out 0:2 u64 1 15 18446744073709551513 MAX 18446744073709551607 12884901989
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read> b: array<u64>;
@group(0) @binding(2) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = min(a[i], b[i]) ^ (max(a[i], b[i]) * u64(3)) ^ clamp(a[i], u64(2), u64(100));
}
