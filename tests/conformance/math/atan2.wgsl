// atan2(y, x) finds the quadrant from both signs.
//: in  0:0 f32 1.0  1.0 -1.0 -1.0   0.5  -3.0 2.0
//: in  0:1 f32 1.0 -1.0  1.0 -1.0 100.0 -0.25 0.5
//: out 0:2 f32 within ATAN2_ULP_4096 0.785398163397 2.35619449019 -0.785398163397 -2.35619449019
//:: 0.00499995833396 -1.65393755868 1.32581766367
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = atan2(a[i], b[i]);
}
