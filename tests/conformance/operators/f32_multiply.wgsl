// Multiplication rounds once; 0 * inf is NaN and underflow gives a signed zero.
//: in  0:0 f32         0.1 -1.0 0x1.fffffep127 inf  inf -3.0 0x1p-100 nan
//: in  0:1 f32         0.1  0.0            2.0 0.0 -2.0 -7.0 0x1p-100 0.0
//: out 0:2 f32 0.010000001 -0.0            inf nan -inf 21.0      0.0 nan
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] * b[i];
}
