// Every i16 is an f32.
//: needs int16
//: in  0:0 i16 0 1 -1 MAX MIN 12345
//: out 0:1 f32 0.0 1.0 -1.0 32767.0 -32768.0 12345.0
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f32(a[i]);
}
