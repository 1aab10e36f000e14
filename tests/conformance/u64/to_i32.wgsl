// u64 becomes i32 by its low bits.
//: needs int64
//: in  0:0 u64 0 1 MAX MAX 0 4294967296 100000 18446744073709539271
//: out 0:1 i32 0 1 -1 -1 0 0 100000 -12345
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i32(a[i]);
}
