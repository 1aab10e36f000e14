// The inverse hyperbolic sine inherits its error from log.
//: in  0:0 f32 0.0 0.5 1.0 2.0 5.0 100.0
//: out 0:1 f32 within ASINH_INHERITED of 0:0 0.0 0.48121182506 0.88137358702 1.44363547518
//:: 2.31243834127 5.29834236561
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = asinh(a[i]);
}
