// reflect(x, y) is x - 2 * dot(x, y) * y.
//: in  0:0 f32 1 -1   3 2
//: in  0:1 f32 0 1   0.5 -1
//: out 0:2 f32 1 1   3.5 1
@group(0) @binding(0) var<storage, read> a: array<vec2<f32>, 2>;
@group(0) @binding(1) var<storage, read> b: array<vec2<f32>, 2>;
@group(0) @binding(2) var<storage, read_write> out: array<vec2<f32>, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = reflect(a[i], b[i]);
}
