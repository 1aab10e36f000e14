// Signed 16-bit min, max and clamp.
//: needs int16
//: in  0:0 i16 0 5 MAX MIN 3 256
//: in  0:1 i16 1 5 MIN MAX -3 1
//: out 0:2 i16 1 15 -103 -1 -9 869
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read> b: array<i16>;
@group(0) @binding(2) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = min(a[i], b[i]) ^ (max(a[i], b[i]) * i16(3)) ^ clamp(a[i], i16(2), i16(100));
}
