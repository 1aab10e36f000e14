// Addition rounds to nearest even, keeps the sign of -0 + -0 and overflows to infinity.
//: in  0:0 f32 0.1     1.0 0x1p24 0x1.fffffep127 inf  inf nan -0.0 -0.0  1.5
//: in  0:1 f32 0.2 0x1p-24    1.0 0x1.fffffep127 1.0 -inf 1.0 -0.0  0.0 -1.5
//: out 0:2 f32 0.3     1.0 0x1p24            inf inf  nan nan -0.0  0.0  0.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] + b[i];
}
