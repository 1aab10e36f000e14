// pack2x16snorm clamps to [-1, 1] and rounds 32767 * x.
//: in  0:0 f32 0.0 1.0 -1.0 -2.0 0.1 -0.9 0.3 -0.7
//: out 0:1 u32 0x7fff0000 0x80018001 0x8cce0ccd 0xa6672666
@group(0) @binding(0) var<storage, read> a: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = pack2x16snorm(a[i]);
}
