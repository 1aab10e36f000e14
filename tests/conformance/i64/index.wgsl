// A 64-bit index that no 32 bits hold is out of bounds; it is not cut off.
//: needs int64
//: in  0:0 i64 1 2 0x100000001 -1
//: in  0:1 u32 4 5 6
//: out 0:2 u32 5 8 6 9 0 0 0 0
//: deviates lavapipe "crashes" skip
@group(0) @binding(0) var<storage, read> at: array<i64>;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    let local = array(7u, 8u, 9u);
    out[2u * i] = a[at[i]];
    out[2u * i + 1u] = local[at[i]];
}
