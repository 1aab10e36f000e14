// Unsigned 64-bit remainder and x % 0 is 0.
//: needs int64
//: in  0:0 u64 7 2 7 MAX MAX MAX MAX 12884901889 12884901889 0
//: in  0:1 u64 2 7 0 0 MAX 1 2 4294967296 7 5
//: out 0:2 u64 1 2 0 0 0 0 1 1 6 0
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read> b: array<u64>;
@group(0) @binding(2) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] % b[i];
}
