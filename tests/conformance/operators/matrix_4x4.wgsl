// 4x4 matrices: product with itself, with a vector on the right and on the left.
//: in  0:0 f32 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0 10.0 11.0 12.0 13.0 14.0 15.0 16.0
//: in  0:1 f32 1 -2 3 -4
//: out 0:2 f32 90.0 100.0 110.0 120.0 202.0 228.0 254.0 280.0 314.0 356.0 398.0 440.0 426.0 484.0 542.0 600.0
//: out 0:3 f32 -34.0 -36.0 -38.0 -40.0   -10.0 -18.0 -26.0 -34.0
@group(0) @binding(0) var<storage, read> m: mat4x4<f32>;
@group(0) @binding(1) var<storage, read> v: vec4<f32>;
@group(0) @binding(2) var<storage, read_write> square: mat4x4<f32>;
@group(0) @binding(3) var<storage, read_write> vectors: array<vec4<f32>, 2>;

@compute @workgroup_size(1)
fn main() {
    square = m * m;
    vectors[0] = m * v;
    vectors[1] = v * m;
}
