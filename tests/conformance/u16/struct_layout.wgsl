// u16 takes 2 bytes, vec3<i16> is aligned to 8, and invocations write halves of a word alone.
//: needs int16
//: in  0:0 u16 1 _ _ _ i16 2 -3 4 u16 1000 u32 5 _
//: out 0:1 u16 1 0 0 0 i16 2 -3 4 u16 1000 u32 5 0
//: out 0:2 u16 4 1004 2004 3004 4004 5004 6004 7004
enable wgpu_int16;

struct Mixed {
    a: u16,
    b: vec3<i16>,
    c: u16,
    d: u32,
}

@group(0) @binding(0) var<storage, read> m: Mixed;
@group(0) @binding(1) var<storage, read_write> copy: Mixed;
@group(0) @binding(2) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    copy = m;
    out[i] = u16(i) * m.c + u16(m.b.z);
}
