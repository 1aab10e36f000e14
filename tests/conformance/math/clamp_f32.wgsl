// Clamping a float keeps it between low and high.
//: in  0:0 f32 0.5 -3.0 9.0 inf -inf
//: in  0:1 f32 0.0  0.0 0.0 0.0  0.0
//: in  0:2 f32 1.0  1.0 1.0 1.0  1.0
//: out 0:3 f32 0.5  0.0 1.0 1.0  0.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> c: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = clamp(a[i], b[i], c[i]);
}
