// A right shift of an unsigned integer fills with zeros; the amount is taken modulo 32.
//: in  0:0 u32 MAX 0x80000000 MAX 5        MAX MAX
//: in  0:1 u32  31         31  32 0         33 MAX
//: out 0:2 u32   1          1 MAX 5 0x7fffffff   1
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] >> b[i];
}
