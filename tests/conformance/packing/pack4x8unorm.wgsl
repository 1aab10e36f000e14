// pack4x8unorm clamps to [0, 1] and rounds 255 * x half up.
//: in  0:0 f32 0.0 1.0 0.5 0.25 -1.0 2.0 inf -inf 0.1 0.2 0.4 0.8
//: out 0:1 u32 0x4080ff00 0xffff00 0xcc66331a
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = pack4x8unorm(a[i]);
}
