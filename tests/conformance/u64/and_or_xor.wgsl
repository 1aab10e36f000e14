// Unsigned 64-bit bitwise operators work on all 64 bits.
//: needs int64
//: in  0:0 u64 0 1 MAX 6148914691236517205 71777214294589695 1311768467463790320
//: in  0:1 u64 MAX MAX 1 3689348814741910323 1148435428713435120 17361641481138401520
//: out 0:2 u64 MAX 0 18446744073709551614 4919131752989213764 16204198715729174752
//:: 876592682626105583
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read> b: array<u64>;
@group(0) @binding(2) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = ((a[i] & b[i]) + (a[i] | b[i])) ^ (a[i] ^ b[i]) ^ ~a[i];
}
