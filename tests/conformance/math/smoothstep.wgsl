// smoothstep is t * t * (3 - 2 * t) of the clamped position.
//: in  0:0 f32  0.0 0.0 0.0 0.0 -1.0  0.0
//: in  0:1 f32  1.0 1.0 1.0 4.0  1.0 10.0
//: in  0:2 f32 -0.5 0.5 1.5 1.0  0.0  3.0
//: out 0:3 f32 within SMOOTHSTEP_ABS_2POW_MINUS_20 0.0 0.5 1.0 0.15625 0.5 0.216
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> c: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = smoothstep(a[i], b[i], c[i]);
}
