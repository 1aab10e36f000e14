// A right shift of a signed integer copies the sign; the amount is taken modulo 32.
//: in  0:0 i32 -1 -16 MIN MAX -16         MIN 100 -100
//: in  0:1 u32 31   2  31  30  32          33  35  MAX
//: out 0:2 i32 -1  -4  -1   1 -16 -1073741824  12   -1
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] >> b[i];
}
