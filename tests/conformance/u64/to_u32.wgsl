// u64 becomes u32 by its low bits.
//: needs int64
//: in  0:0 u64 0 1 MAX MAX 0 4294967296 100000 18446744073709539271
//: out 0:1 u32 0 1 MAX MAX 0 0 100000 4294954951
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u32(a[i]);
}
