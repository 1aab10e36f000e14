// A float becomes the nearest unsigned integer toward zero that is also a float; NaN becomes 0.
//: in  0:0 f32 1.9 0.99 -0.99 -1.0 -1e+20 0x1.fffffep31 0x1p32 1e+20 inf -inf     0x1p31 nan
//: out 0:1 u32   1    0     0    0      0    0xffffff00*4                    0 0x80000000   0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(12)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u32(a[i]);
}
