// sqrt of f16 is within the bound of 1 / inverseSqrt.
//: needs f16
//: in  0:0 f16 0.25 1.0 2.0 16.0 1000.0 6.103515625e-05
//: out 0:1 f16 within F16_SQRT_ULP_6_5 0.5 1.0 1.4142135623730951 4.0 31.622776601683793 0.0078125
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = sqrt(a[i]);
}
