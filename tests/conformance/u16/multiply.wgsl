// Unsigned 16-bit multiplication keeps the low 16 bits of the product.
//: needs int16
//: in  0:0 u16 1 0 MAX MAX 255 256 32768 3 256 7
//: in  0:1 u16 2 1 1 MAX 1 MAX 32768 261 3 256
//: out 0:2 u16 2 0 MAX 1 255 65280 0 783 768 1792
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read> b: array<u16>;
@group(0) @binding(2) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] * b[i];
}
