// Unsigned addition wraps around.
//: in  0:0 u32 1 MAX        MAX 0 0x80000000
//: in  0:1 u32 2   1        MAX 0 0x80000000
//: out 0:2 u32 3   0 0xfffffffe 0          0
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] + b[i];
}
