// fma rounds once, so the low half of a product survives.
//: in  0:0 f32  1.0002441  2.0     0.1 0x1.5af1d8p66
//: in  0:1 f32  1.0002441  3.0    10.0 0x1.5af1d8p66
//: in  0:2 f32 -1.0004883 -6.0    -1.0          -inf
//: out 0:3 f32    0x1p-24  0.0 0x1p-26          -inf
//: deviates lavapipe "multiplies and adds with two roundings" 0:3 f32 0.0 = 0.0 nan
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> c: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = fma(a[i], b[i], c[i]);
}
