// Every u16 is an f32.
//: needs int16
//: in  0:0 u16 0 1 MAX MAX 0 12345
//: out 0:1 f32 0.0 1.0 65535.0 65535.0 0.0 12345.0
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f32(a[i]);
}
