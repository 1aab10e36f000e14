// Unsigned 16-bit left shifts take the amount modulo 16.
//: needs int16
//: in  0:0 u16 57073 1 3 32769 1 5 5 MAX 32768 65520
//: in  0:1 u32 0 1 7 8 15 16 17 9 1 35
//: out 0:2 u16 57073 2 384 256 32768 5 10 65024 0 65408
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] << b[i];
}
