// A float becomes an integer by rounding toward zero and saturating; NaN becomes 0.
//: in  0:0 f32 1.9 -1.9 0.99 -0.0 0x1.fffffep30 0x1p31 -0x1p31 1e+20 -1e+20 inf -inf 0x1p-149 nan
//: out 0:1 i32   1   -1    0    0    2147483520    MAX     MIN   MAX    MIN MAX  MIN        0   0
//: deviates lavapipe "naga clamps to the largest float below the limit; NaN is the smallest integer"
//:: 0:1 i32 =*5 2147483520 = 2147483520 = 2147483520 =*2 MIN
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(13)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i32(a[i]);
}
