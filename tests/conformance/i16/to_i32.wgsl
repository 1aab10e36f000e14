// i16 becomes i32 by its low bits, extended by its sign.
//: needs int16
//: in  0:0 i16 0 1 -1 MAX MIN 256 1000 -12345
//: out 0:1 i32 0 1 -1 32767 -32768 256 1000 -12345
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i32(a[i]);
}
