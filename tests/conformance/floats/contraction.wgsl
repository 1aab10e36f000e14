// A product and the sum that it feeds are one operation, which rounds once. WGSL leaves that open.
//: in  0:0 f32 1.0002441 0.1
//: in  0:1 f32 -1.0004883 -0.01
//: out 0:2 f32 0x1p-24 bits:300f5c29
//: deviates lavapipe "rounds the product, too" 0:2 f32 0.0 0x1p-30
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] * a[i] + b[i];
}
