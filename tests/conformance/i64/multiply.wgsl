// Signed 64-bit multiplication keeps the low 64 bits of the product.
//: needs int64
//: in  0:0 i64 1 -1 MAX MIN 4294967295 -4294967296 MIN MAX 4294967296 -7
//: in  0:1 i64 2 1 1 -1 1 -1 MIN MAX 3 4294967296
//: out 0:2 i64 2 -1 MAX MIN 4294967295 4294967296 0 1 12884901888 -30064771072
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read> b: array<i64>;
@group(0) @binding(2) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] * b[i];
}
