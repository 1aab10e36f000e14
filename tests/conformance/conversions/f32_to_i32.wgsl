// A float becomes the nearest integer toward zero that is also a float, so at most 2147483520; NaN becomes 0.
//: in  0:0 f32 1.9 -1.9 0.99 -0.0 0x1.fffffep30 0x1p31 -0x1p31 1e+20 -1e+20 inf -inf 0x1p-149 nan
//: out 0:1 i32   1   -1    0    0    2147483520 2147483520 MIN 2147483520 MIN 2147483520 MIN 0    0
//: deviates lavapipe "NaN is the smallest integer, as WGSL allows" 0:1 i32 =*12 MIN
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(13)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i32(a[i]);
}
