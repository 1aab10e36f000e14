// Where low is above high, clamp is min(max(x, low), high) or the median of the three.
//: in  0:0 f32 5 20 -5
//: in  0:1 f32 10 10 10
//: in  0:2 f32 0 0 0
//: out 0:3 f32 0|5 0|10 0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> c: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = clamp(a[i], b[i], c[i]);
}
