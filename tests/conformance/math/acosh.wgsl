// The inverse hyperbolic cosine inherits its error from log.
//: in  0:0 f32 1.0 1.5 2.0 10.0 100.0
//: out 0:1 f32 within ACOSH_INHERITED of 0:0 0.0 0.962423650119 1.31695789692 2.99322284613
//:: 5.29829236561
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = acosh(a[i]);
}
