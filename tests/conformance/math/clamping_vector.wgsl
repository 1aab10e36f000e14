// min, max, clamp, saturate and step on float vectors.
//: in  0:0 f32 -2 0.5 3 7
//: in  0:1 f32 1 0.25 4 7
//: out 0:2 f32 -2 0.25 3 7   1 0.5 4 7   -1 0.5 3 5   0 0.5 1 1   1 0 1 1
@group(0) @binding(0) var<storage, read> a: vec4<f32>;
@group(0) @binding(1) var<storage, read> b: vec4<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>, 5>;

@compute @workgroup_size(1)
fn main() {
    out[0] = min(a, b);
    out[1] = max(a, b);
    out[2] = clamp(a, vec4(-1.0), vec4(5.0));
    out[3] = saturate(a);
    out[4] = step(a, b);
}
