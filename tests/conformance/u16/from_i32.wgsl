// i32 becomes u16 by its low bits.
//: needs int16
//: in  0:0 i32 0 1 -1 MAX MIN 70000 -70000 32768
//: out 0:1 u16 0 1 MAX MAX 0 4464 61072 32768
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u16(a[i]);
}
