// Signed multiplication keeps the low 32 bits.
//: in  0:0 i32   3 -3 MAX MIN 65536  123456789 MIN
//: in  0:1 i32  -4 -4   2  -1 65536 -987654321 MIN
//: out 0:2 i32 -12 12  -2 MIN     0   67153019   0
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] * b[i];
}
