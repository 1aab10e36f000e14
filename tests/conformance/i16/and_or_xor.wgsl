// Signed 16-bit bitwise operators work on all 16 bits.
//: needs int16
//: in  0:0 i16 0 1 MAX 21845 255 -8464
//: in  0:1 i16 MAX MAX 1 13107 4080 -3856
//: out 0:2 i16 -1 0 32766 17476 -7968 -16145
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read> b: array<i16>;
@group(0) @binding(2) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = ((a[i] & b[i]) + (a[i] | b[i])) ^ (a[i] ^ b[i]) ^ ~a[i];
}
