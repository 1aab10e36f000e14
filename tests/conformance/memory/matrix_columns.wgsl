// Columns of three rows are 16 bytes apart, columns of two rows 8.
//: in  0:0 f32 1 2 3 -1  4 5 6 -1  7 8 9 -1
//: in  0:1 f32 1 2  3 4  5 6
//: out 0:2 f32 7 8 9   5 6   3 5 7 4 6 2
@group(0) @binding(0) var<storage, read> square: mat3x3<f32>;
@group(0) @binding(1) var<storage, read> flat: mat3x2<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32, 11>;

@compute @workgroup_size(1)
fn main() {
    let column = square[2];
    out[0] = column.x;
    out[1] = column.y;
    out[2] = column.z;
    out[3] = flat[2].x;
    out[4] = flat[2].y;
    out[5] = square[0][2];
    out[6] = square[1].y;
    out[7] = square[2][0];
    out[8] = flat[1][1];
    out[9] = square[1].z;
    out[10] = flat[0].y;
}
