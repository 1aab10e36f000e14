// transpose turns columns into rows, also of matrices that are not square.
//: in  0:0 f32 1 2  3 4  5 6
//: out 0:1 f32 1 3 5 _  2 4 6 _
//: out 0:2 f32 1 3  2 4
@group(0) @binding(0) var<storage, read> a: mat3x2<f32>;
@group(0) @binding(1) var<storage, read_write> b: mat2x3<f32>;
@group(0) @binding(2) var<storage, read_write> c: mat2x2<f32>;

@compute @workgroup_size(1)
fn main() {
    b = transpose(a);
    c = transpose(mat2x2<f32>(a[0], a[1]));
}
