// Subtraction rounds to nearest even; 0 - 0 is positive and inf - inf is NaN.
//: in  0:0 f32        0.3     1.0 0.0 -0.0  0.0 inf inf  0x1.fffffep127
//: in  0:1 f32        0.1 0x1p-25 0.0  0.0 -0.0 inf nan -0x1.fffffep127
//: out 0:2 f32 0.20000002     1.0 0.0 -0.0  0.0 nan nan             inf
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] - b[i];
}
