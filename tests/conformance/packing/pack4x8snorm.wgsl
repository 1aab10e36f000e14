// pack4x8snorm clamps to [-1, 1] and rounds 127 * x.
//: in  0:0 f32 0.0 1.0 -1.0 0.25 -2.0 2.0 inf -inf 0.1 -0.2 0.3 -0.9
//: out 0:1 u32 0x20817f00 0x817f7f81 0x8e26e70d
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = pack4x8snorm(a[i]);
}
