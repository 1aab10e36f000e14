// A left shift of an unsigned integer takes the amount modulo 32.
//: in  0:0 u32 1          1        MAX  1  1          3 0x80000001
//: in  0:1 u32 0         31          4 32 33         63        MAX
//: out 0:2 u32 1 0x80000000 0xfffffff0  1  2 0x80000000 0x80000000
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] << b[i];
}
