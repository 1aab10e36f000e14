// u16 is true unless it is zero, and a bool becomes 0 or 1.
//: needs int16
//: in  0:0 u16 0 1 MAX 16384
//: out 0:1 u16 0 1 1 1
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u16(bool(a[i]));
}
