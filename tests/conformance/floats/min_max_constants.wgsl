// min, max and clamp against a constant, on either side: the number wins against NaN.
//: in  0:0 f32 nan  1.5 -1.5 inf -inf 0.0      -0.0     0.25 2.0
//: out 0:1 f32 0.0  1.5  0.0 inf  0.0 0.0|-0.0 0.0|-0.0 0.25 2.0
//: out 0:2 f32 0.0  1.5  0.0 inf  0.0 0.0|-0.0 0.0|-0.0 0.25 2.0
//: out 0:3 f32 1.0  1.0 -1.5 1.0 -inf 0.0      -0.0     0.25 1.0
//: out 0:4 f32 1.0  1.0 -1.5 1.0 -inf 0.0      -0.0     0.25 1.0
//: out 0:5 f32 0.0  0.0 -1.5 0.0 -inf 0.0|-0.0 0.0|-0.0 0.0  0.0
//: out 0:6 f32 -1.0 1.0 -1.0 1.0 -1.0 0.0      -0.0     0.25 1.0
//: out 0:7 f32 0.0  1.0  0.0 1.0  0.0 0.0|-0.0 0.0|-0.0 0.25 1.0
//: deviates lavapipe "saturate and clamp of NaN may be any number" 0:6 f32 _*9
//: deviates lavapipe "saturate and clamp of NaN may be any number" 0:7 f32 _*9
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> above: array<f32>;
@group(0) @binding(2) var<storage, read_write> above_first: array<f32>;
@group(0) @binding(3) var<storage, read_write> below: array<f32>;
@group(0) @binding(4) var<storage, read_write> below_first: array<f32>;
@group(0) @binding(5) var<storage, read_write> below_zero: array<f32>;
@group(0) @binding(6) var<storage, read_write> clamped: array<f32>;
@group(0) @binding(7) var<storage, read_write> saturated: array<f32>;

@compute @workgroup_size(9)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    above[i] = max(x, 0.0);
    above_first[i] = max(0.0, x);
    below[i] = min(x, 1.0);
    below_first[i] = min(1.0, x);
    below_zero[i] = min(0.0, x);
    clamped[i] = clamp(x, -1.0, 1.0);
    saturated[i] = saturate(x);
}
