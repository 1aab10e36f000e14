// modf of a vector gives vectors of fractions and whole parts.
//: in  0:0 f32 2.75 -2.75 0.5 -7.0
//: out 0:1 f32 0.75 -0.75 0.5 -0.0   2.0 -2.0 0.0 -7.0
@group(0) @binding(0) var<storage, read> a: vec4<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 2>;

@compute @workgroup_size(1)
fn main() {
    let parts = modf(a);
    out[0] = parts.fract;
    out[1] = parts.whole;
}
