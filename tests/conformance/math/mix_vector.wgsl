// mix of vectors takes a vector or one scalar as the part.
//: in  0:0 f32 0 8 -4 2
//: in  0:1 f32 4 0 4 6
//: in  0:2 f32 0.25 0.5 0.75 1.0
//: out 0:3 f32 1 4 2 6   1 6 -2 3
@group(0) @binding(0) var<storage, read> a: vec4<f32>;
@group(0) @binding(1) var<storage, read> b: vec4<f32>;
@group(0) @binding(2) var<storage, read> c: vec4<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>, 2>;

@compute @workgroup_size(1)
fn main() {
    out[0] = mix(a, b, c);
    out[1] = mix(a, b, c.x);
}
