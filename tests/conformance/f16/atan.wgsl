// atan of f16 is within 5 ULP.
//: needs f16
//: in  0:0 f16 0.0 0.5 1.0 -1.5 100.0 -3.0
//: out 0:1 f16 within F16_ATAN_ULP_5 0.0 0.4636476090008061 0.7853981633974483 -0.982793723247329
//:: 1.5607966601082315 -1.2490457723982544
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = atan(a[i]);
}
