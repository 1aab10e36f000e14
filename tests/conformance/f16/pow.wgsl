// pow of f16 with whole exponents, within the bound of exp2(y * log2(x)).
//: needs f16
//: in  0:0 f16 2.0 2.0 4.0 8.0
//: in  0:1 f16 3.0 -2.0 0.5 2.0
//: out 0:2 f16 within F16_POW_REL_16TH 8.0 0.25 2.0 64.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = pow(a[i], b[i]);
}
