// u32 becomes u16 by its low bits.
//: needs int16
//: in  0:0 u32 0 1 MAX 2147483648 65536 65535 70000 32768
//: out 0:1 u16 0 1 MAX 0 0 MAX 4464 32768
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u16(a[i]);
}
