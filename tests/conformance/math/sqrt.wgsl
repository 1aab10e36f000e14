// The square root inherits its error from 1 / inverseSqrt(x).
//: in  0:0 f32 1.0 4.0 2.0 0.25 0x1.2a05f2p33 0x1.b7cdfep-34 3.0
//: out 0:1 f32 within SQRT_INHERITED of 0:0 1.0 2.0 1.41421356237 0.5 100000.0 1.00000000668e-05
//:: 1.73205080757
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = sqrt(a[i]);
}
