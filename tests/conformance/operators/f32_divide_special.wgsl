// Division by zero gives a signed infinity, 0 / 0 and inf / inf are NaN, x / inf is a signed zero.
//: in  0:0 f32 1.0 -1.0  1.0 0.0 inf  inf 1.0 -1.0 nan  0.0
//: in  0:1 f32 0.0  0.0 -0.0 0.0 inf -2.0 inf  inf 1.0 -5.0
//: out 0:2 f32 inf -inf -inf nan nan -inf 0.0 -0.0 nan -0.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] / b[i];
}
