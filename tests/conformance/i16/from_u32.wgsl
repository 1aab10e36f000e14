// u32 becomes i16 by its low bits.
//: needs int16
//: in  0:0 u32 0 1 MAX 2147483648 65536 65535 70000 32768
//: out 0:1 i16 0 1 -1 0 0 -1 4464 MIN
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i16(a[i]);
}
