// f16 becomes i16 toward zero, up to 32752: the largest value that both types hold.
//: needs f16 int16
//: in  0:0 f16 1.5 -1.5 65504.0 -65504.0 32752.0 -32768.0 inf 1000.5
//: out 0:1 i16 1 -1 32752 MIN 32752 MIN 32752 1000
//: deviates lavapipe "the SPIR-V writer clamps to the range of f16" skip
enable f16;
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i16(a[i]);
}
