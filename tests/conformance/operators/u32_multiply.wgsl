// Unsigned multiplication keeps the low 32 bits.
//: in  0:0 u32  3        MAX 0x10000 0x9e3779b1 MAX
//: in  0:1 u32  4          2 0x10000      40503 MAX
//: out 0:2 u32 12 0xfffffffe       0 0x3b066307   1
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] * b[i];
}
