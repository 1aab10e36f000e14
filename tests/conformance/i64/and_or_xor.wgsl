// Signed 64-bit bitwise operators work on all 64 bits.
//: needs int64
//: in  0:0 i64 0 1 MAX 6148914691236517205 71777214294589695 1311768467463790320
//: in  0:1 i64 MAX MAX 1 3689348814741910323 1148435428713435120 -1085102592571150096
//: out 0:2 i64 -1 0 9223372036854775806 4919131752989213764 -2242545357980376864 876592682626105583
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read> b: array<i64>;
@group(0) @binding(2) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = ((a[i] & b[i]) + (a[i] | b[i])) ^ (a[i] ^ b[i]) ^ ~a[i];
}
