// Matrices of f64: columns with three rows are 32 bytes apart; products, transpose, determinant.
//: needs f64
//: in  0:0 f64 1 2 3 4 5 6 7 _ 8 9 10 _
//: out 0:1 f64 1 2 3 4 5 6 7 0 8 9 10 0
//: out 0:2 f64 23 34 17 39 15 22 7 10 -2 10 1 2
struct Matrices {
    square: mat2x2<f64>,
    tall: mat2x3<f64>,
}

@group(0) @binding(0) var<storage, read> m: Matrices;
@group(0) @binding(1) var<storage, read_write> copy: Matrices;
@group(0) @binding(2) var<storage, read_write> out: array<vec2<f64>, 6>;

@compute @workgroup_size(1)
fn main() {
    copy = m;
    out[0] = m.square * vec2(5lf, 6lf);
    out[1] = vec2(5lf, 6lf) * m.square;
    out[2] = (m.square * m.square)[1];
    out[3] = transpose(m.tall)[2];
    out[4] = vec2(determinant(m.square), m.tall[1][2]);
    out[5] = (m.square * 2lf - m.square)[0];
}
