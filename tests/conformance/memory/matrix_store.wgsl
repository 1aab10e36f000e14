// Storing a matrix, a column or a component of one touches exactly those words.
//: in  0:0 f32 -1*24
//: out 0:0 f32 1 2 3 -1  4 5 6 -1   -1 -1 -1 -1  7 8 9 -1   -1 -1 -1 -1  -1 -1 5 -1
@group(0) @binding(0) var<storage, read_write> m: array<mat2x3<f32>, 3>;

@compute @workgroup_size(1)
fn main() {
    m[0] = mat2x3<f32>(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
    m[1][1] = vec3(7.0, 8.0, 9.0);
    m[2][1].z = 5.0;
}
