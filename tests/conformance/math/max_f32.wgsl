// The larger of two floats; where one is NaN, the other.
//: in  0:0 f32 1.0 -1.0 -inf nan 3.0 nan 0x1p-149
//: in  0:1 f32 2.0 -2.0  inf 3.0 nan nan      0.0
//: out 0:2 f32 2.0 -1.0  inf 3.0 3.0 nan 0x1p-149
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = max(a[i], b[i]);
}
