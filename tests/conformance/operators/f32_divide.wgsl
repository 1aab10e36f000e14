// Division is accurate to 2.5 ULP.
//: in  0:0 f32 1.0 2.0 10.0 -7.0   0x1.2a05f2p33
//: in  0:1 f32 3.0 3.0  0.1  9.0 -0x1.f75104p-16
//: out 0:2 f32 within DIV_ULP_2_5 0.333333333333 0.666666666667 99.9999985099 -0.777777777778
//:: -333333341754000.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] / b[i];
}
