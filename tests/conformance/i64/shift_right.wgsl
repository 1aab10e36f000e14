// Signed 64-bit right shifts fill with the sign; the amount counts modulo 64.
//: needs int64
//: in  0:0 i64 1311768467463790321 1 3 32769 1 5 5 -1 MIN -16
//: in  0:1 u32 0 1 31 32 63 64 65 33 1 131
//: out 0:2 i64 1311768467463790321 0 0 0 0 5 2 -1 -4611686018427387904 -2
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] >> b[i];
}
