// Unsigned 16-bit remainder and x % 0 is 0.
//: needs int16
//: in  0:0 u16 7 2 7 MAX MAX MAX MAX 769 769 0
//: in  0:1 u16 2 7 0 0 MAX 1 2 256 7 5
//: out 0:2 u16 1 2 0 0 0 0 1 1 6 0
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read> b: array<u16>;
@group(0) @binding(2) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] % b[i];
}
