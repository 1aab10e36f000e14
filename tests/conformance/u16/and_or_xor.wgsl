// Unsigned 16-bit bitwise operators work on all 16 bits.
//: needs int16
//: in  0:0 u16 0 1 MAX 21845 255 57072
//: in  0:1 u16 MAX MAX 1 13107 4080 61680
//: out 0:2 u16 MAX 0 65534 17476 57568 49391
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read> b: array<u16>;
@group(0) @binding(2) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = ((a[i] & b[i]) + (a[i] | b[i])) ^ (a[i] ^ b[i]) ^ ~a[i];
}
