// pack2x16float rounds each component to half precision.
//: in  0:0 f32 0.0 -0.0 1.0 -2.0 0.1 65504.0 0x1p-24 0x1p-14 1.0004883 1.0014648
//: out 0:1 u32 0x80000000 0xc0003c00 0x7bff2e66 0x4000001 0x3c023c00
@group(0) @binding(0) var<storage, read> a: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = pack2x16float(a[i]);
}
