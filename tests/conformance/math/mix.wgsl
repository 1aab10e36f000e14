// mix(x, y, z) is x * (1 - z) + y * z.
//: in  0:0 f32  1.0  0.0 -2.0 5.0 0.1
//: in  0:1 f32  3.0 10.0  2.0 5.0 0.7
//: in  0:2 f32 0.25  0.5 0.75 0.3 1.0
//: out 0:3 f32 within MIX_INHERITED of 0:0 0:1 0:2 1.5 5.0 1.0 5.0 0.699999988079
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> c: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = mix(a[i], b[i], c[i]);
}
