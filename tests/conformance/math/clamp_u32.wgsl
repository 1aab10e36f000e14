// Clamping an unsigned integer is min(max(x, low), high).
//: in  0:0 u32 5 0        MAX  7
//: in  0:1 u32 0 2          1 10
//: in  0:2 u32 3 3 0x80000000  6
//: out 0:3 u32 3 2 0x80000000  6
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read> c: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = clamp(a[i], b[i], c[i]);
}
