// Signed 16-bit left shifts take the amount modulo 16.
//: needs int16
//: in  0:0 i16 -8463 1 3 -32767 1 5 5 -1 MIN -16
//: in  0:1 u32 0 1 7 8 15 16 17 9 1 35
//: out 0:2 i16 -8463 2 384 256 MIN 5 10 -512 0 -128
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] << b[i];
}
