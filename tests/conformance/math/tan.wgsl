// The tangent inherits its error from sin(x) / cos(x).
//: in  0:0 f32 0.0 0.5 1.0 -1.0 1.4 -0.1 3.0
//: out 0:1 f32 within TAN_INHERITED of 0:0 0.0 0.546302489844 1.55740772465 -1.55740772465
//:: 5.79788289019 -0.100334673591 -0.142546543074
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = tan(a[i]);
}
