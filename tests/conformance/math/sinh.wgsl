// The hyperbolic sine inherits its error from exp.
//: in  0:0 f32 0.0 0.5 1.0 -1.0 5.0 -10.0
//: out 0:1 f32 within SINH_INHERITED of 0:0 0.0 0.521095305494 1.17520119364 -1.17520119364
//:: 74.2032105778 -11013.2328747
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = sinh(a[i]);
}
