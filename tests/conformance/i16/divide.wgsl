// Signed 16-bit division truncates toward zero, and x / 0 is x; MIN / -1 is MIN.
//: needs int16
//: in  0:0 i16 7 -7 7 -7 5 MIN MIN MAX 769 -769
//: in  0:1 i16 2 2 -2 -2 0 0 -1 -1 256 7
//: out 0:2 i16 3 -3 -3 3 5 MIN MIN -32767 3 -109
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read> b: array<i16>;
@group(0) @binding(2) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] / b[i];
}
