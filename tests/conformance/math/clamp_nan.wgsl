// clamp and saturate are min(max(x, low), high) with a NaN operand giving way to the other.
// WGSL leaves the answer open; this is the one that follows from our min and max.
//: in  0:0 f32 nan nan nan
//: in  0:1 f32 1.0 -2.0 -inf
//: in  0:2 f32 3.0  4.0  inf
//: out 0:3 f32 1.0 -2.0 -inf   0.0 0.0 0.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> c: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = clamp(a[i], b[i], c[i]);
    out[3u + i] = saturate(a[i]);
}
