// Arrays of matrices in storage: 16 bytes for 2x2, 48 for 3x3, 24 for 3x2, and stores leave padding's neighbours.
//: in  0:0 u32 1
//: out 0:1 f32 0 0 0 0   1 2 3 4
//: out 0:2 f32 0*12   1 2 3 _  4 5 6 _  7 8 9 _
//: out 0:3 f32 0*6   1 2 3 4 5 6
@group(0) @binding(0) var<storage, read> at: u32;
@group(0) @binding(1) var<storage, read_write> small: array<mat2x2<f32>, 2>;
@group(0) @binding(2) var<storage, read_write> square: array<mat3x3<f32>, 2>;
@group(0) @binding(3) var<storage, read_write> flat: array<mat3x2<f32>, 2>;

@compute @workgroup_size(1)
fn main() {
    small[at] = mat2x2<f32>(1, 2, 3, 4);
    square[at] = mat3x3<f32>(1, 2, 3, 4, 5, 6, 7, 8, 9);
    flat[at][0] = vec2<f32>(1, 2);
    flat[at][1] = vec2<f32>(3, 4);
    flat[at][2][0] = 5;
    flat[at][2][1] = 6;
}
