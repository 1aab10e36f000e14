// Between zeros of both signs min and max may return either.
//: in  0:0 f32 0.0 -0.0
//: in  0:1 f32 -0.0 0.0
//: out 0:2 f32 0.0|-0.0 0.0|-0.0   0.0|-0.0 0.0|-0.0
@group(0) @binding(0) var<storage, read> a: vec2<f32>;
@group(0) @binding(1) var<storage, read> b: vec2<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<vec2<f32>, 2>;

@compute @workgroup_size(1)
fn main() {
    out[0] = min(a, b);
    out[1] = max(a, b);
}
