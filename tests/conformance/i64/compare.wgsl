// Signed 64-bit comparisons look at all 64 bits and the sign.
//: needs int64
//: in  0:0 i64 0 1 0 MAX MIN 4294967296 1 4294967297 -1 -1
//: in  0:1 i64 0 0 1 MIN MAX 1 4294967296 4294967296 1 -2
//: out 0:2 u32 41 50 14 50 14 50 14 50 14 50
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read> b: array<i64>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u32(a[i] == b[i]) | u32(a[i] != b[i]) << 1u | u32(a[i] < b[i]) << 2u
        | u32(a[i] <= b[i]) << 3u | u32(a[i] > b[i]) << 4u | u32(a[i] >= b[i]) << 5u;
}
