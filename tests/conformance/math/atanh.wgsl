// The inverse hyperbolic tangent inherits its error from log.
//: in  0:0 f32 0.0 0.5 -0.5 0.9 -0.99
//: out 0:1 f32 within ATANH_INHERITED of 0:0 0.0 0.549306144334 -0.549306144334 1.4722193641
//:: -2.6466528916
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = atanh(a[i]);
}
