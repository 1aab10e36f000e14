// The unsigned remainder of a division by zero is 0.
//: in  0:0 u32 7 MAX MAX 0 5 0x80000000 MAX
//: in  0:1 u32 2   2   0 0 0        MAX MAX
//: out 0:2 u32 1   1   0 0 0 0x80000000   0
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] % b[i];
}
