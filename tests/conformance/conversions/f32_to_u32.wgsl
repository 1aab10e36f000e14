// A float becomes an unsigned integer by rounding toward zero and saturating at 0 and MAX; NaN becomes 0.
//: in  0:0 f32 1.9 0.99 -0.99 -1.0 -1e+20 0x1.fffffep31 0x1p32 1e+20 inf -inf     0x1p31 nan
//: out 0:1 u32   1    0     0    0      0    0xffffff00    MAX   MAX MAX    0 0x80000000   0
//: deviates lavapipe "naga clamps to the largest float below the limit"
//:: 0:1 u32 =*6 0xffffff00*3 =*3
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(12)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u32(a[i]);
}
