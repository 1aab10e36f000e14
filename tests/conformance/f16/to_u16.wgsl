// f16 becomes u16 toward zero, up to 65504.
//: needs f16 int16
//: in  0:0 f16 1.5 -1.5 65504.0 inf
//: out 0:1 u16 1 0 65504 65504
enable f16;
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u16(a[i]);
}
