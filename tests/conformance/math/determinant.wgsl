// The determinant of 2x2, 3x3 and 4x4 matrices.
//: in  0:0 f32 1 2 3 4
//: in  0:1 f32 2 0 1 0  1 3 2 0  0 1 4 0
//: in  0:2 f32 2 0 0 1  0 3 1 0  1 0 1 0  0 2 0 5
//: out 0:3 f32 -2.0 21.0 28.0
@group(0) @binding(0) var<storage, read> a: mat2x2<f32>;
@group(0) @binding(1) var<storage, read> b: mat3x3<f32>;
@group(0) @binding(2) var<storage, read> c: mat4x4<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32, 3>;

@compute @workgroup_size(1)
fn main() {
    out[0] = determinant(a);
    out[1] = determinant(b);
    out[2] = determinant(c);
}
