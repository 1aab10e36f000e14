// unpack2x16float is exact, subnormals, infinities and NaN included.
//: in  0:0 u32 0x3c00c000 0x10400 0x7c00fc00 0x80007e00 0x7bff3555
//: out 0:1 f32 -2.0 1.0 0x1p-14 0x1p-24 -inf inf nan -0.0 0.33325195 65504.0
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec2<f32>>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = unpack2x16float(a[i]);
}
