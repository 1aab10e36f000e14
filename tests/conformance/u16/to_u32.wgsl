// u16 becomes u32 by its low bits.
//: needs int16
//: in  0:0 u16 0 1 MAX MAX 0 256 1000 53191
//: out 0:1 u32 0 1 65535 65535 0 256 1000 53191
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u32(a[i]);
}
