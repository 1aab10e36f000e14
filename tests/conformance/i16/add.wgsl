// Signed 16-bit addition wraps, and carries from the low half into the high one.
//: needs int16
//: in  0:0 i16 1 -1 MAX MIN 255 -256 MIN MAX 256 -7
//: in  0:1 i16 2 1 1 -1 1 -1 MIN MAX 3 256
//: out 0:2 i16 3 0 MIN MAX 256 -257 0 -2 259 249
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read> b: array<i16>;
@group(0) @binding(2) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] + b[i];
}
