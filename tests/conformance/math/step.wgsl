// step(edge, x) is 1 where x >= edge, else 0.
//: in  0:0 f32 0.0 1.0 -1.0 2.0 -inf
//: in  0:1 f32 1.0 1.0 -2.0 1.5  0.0
//: out 0:2 f32 1.0 1.0  0.0 0.0  1.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = step(a[i], b[i]);
}
