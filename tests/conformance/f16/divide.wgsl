// f16 division is within 2.5 ULP.
//: needs f16
//: in  0:0 f16 1.0 6.0 10.0 65504.0 7.0 1.0
//: in  0:1 f16 3.0 2.0 -4.0 2.0 8.0 512.0
//: out 0:2 f16 within F16_DIV_ULP_2_5 0.3333333333333333 3.0 -2.5 32752.0 0.875 0.001953125
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] / b[i];
}
