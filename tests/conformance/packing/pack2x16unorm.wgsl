// pack2x16unorm clamps to [0, 1] and rounds 65535 * x.
//: in  0:0 f32 0.0 1.0 -1.0 2.0 0.1 0.8 0.35 0.65
//: out 0:1 u32 0xffff0000 0xffff0000 0xcccc199a 0xa6665999
@group(0) @binding(0) var<storage, read> a: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = pack2x16unorm(a[i]);
}
