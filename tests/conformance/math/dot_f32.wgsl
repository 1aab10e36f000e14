// dot sums the products of components.
//: in  0:0 f32 1 2 3 4
//: in  0:1 f32 -5 6 0.5 10
//: out 0:2 f32 7 8.5 48.5
@group(0) @binding(0) var<storage, read> a: vec4<f32>;
@group(0) @binding(1) var<storage, read> b: vec4<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32, 3>;

@compute @workgroup_size(1)
fn main() {
    out[0] = dot(a.xy, b.xy);
    out[1] = dot(a.xyz, b.xyz);
    out[2] = dot(a, b);
}
