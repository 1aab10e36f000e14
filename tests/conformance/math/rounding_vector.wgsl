// Rounding functions on vectors of every width.
//: in  0:0 f32 1.5 -1.5 2.5 -0.25
//: out 0:1 f32 2 -1 3 -0.0   1 -2 2 -1   1 -1 2 -0.0   2 -2 2 -0.0   0.5 0.5 0.5 0.75
//: out 0:2 f32 2 -1   1 -2 2
@group(0) @binding(0) var<storage, read> a: vec4<f32>;
@group(0) @binding(1) var<storage, read_write> four: array<vec4<f32>, 5>;
@group(0) @binding(2) var<storage, read_write> fewer: array<f32, 5>;

@compute @workgroup_size(1)
fn main() {
    four[0] = ceil(a);
    four[1] = floor(a);
    four[2] = trunc(a);
    four[3] = round(a);
    four[4] = fract(a);
    let two = ceil(a.xy);
    let three = floor(a.xyz);
    fewer = array(two.x, two.y, three.x, three.y, three.z);
}
