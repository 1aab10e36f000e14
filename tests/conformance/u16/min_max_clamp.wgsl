// Unsigned 16-bit min, max and clamp.
//: needs int16
//: in  0:0 u16 0 5 MAX 0 3 256
//: in  0:1 u16 1 5 0 MAX 65533 1
//: out 0:2 u16 1 15 65433 MAX 65527 869
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read> b: array<u16>;
@group(0) @binding(2) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = min(a[i], b[i]) ^ (max(a[i], b[i]) * u16(3)) ^ clamp(a[i], u16(2), u16(100));
}
