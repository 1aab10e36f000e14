// fract is x - floor(x), so it is never negative.
//: in  0:0 f32 1.5 -1.25 3.0 -0.25 0.75 100.125
//: out 0:1 f32 0.5  0.75 0.0  0.75 0.75   0.125
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = fract(a[i]);
}
