// Unsigned 64-bit comparisons look at all 64 bits.
//: needs int64
//: in  0:0 u64 0 1 0 MAX 0 4294967296 1 4294967297 MAX 18446744073709551614
//: in  0:1 u64 0 0 1 0 MAX 1 4294967296 4294967296 18446744073709551614 MAX
//: out 0:2 u32 41 50 14 50 14 50 14 50 50 14
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read> b: array<u64>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u32(a[i] == b[i]) | u32(a[i] != b[i]) << 1u | u32(a[i] < b[i]) << 2u
        | u32(a[i] <= b[i]) << 3u | u32(a[i] > b[i]) << 4u | u32(a[i] >= b[i]) << 5u;
}
