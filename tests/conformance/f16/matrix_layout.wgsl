// Columns of f16 matrices are 4 bytes apart with two rows, 8 with three or four.
//: needs f16
//: in  0:0 f16 1 2 3 4 5 6 _ _ 7 8 9 _ 10 11 12 _
//: out 0:1 f16 1 2 3 4 5 6 0 0 7 8 9 0 7 8 9 0
//: out 0:2 f16 5 6 4 12
enable f16;

struct Matrices {
    narrow: mat3x2<f16>,
    wide: mat2x3<f16>,
}

@group(0) @binding(0) var<storage, read> m: Matrices;
@group(0) @binding(1) var<storage, read_write> copy: Matrices;
@group(0) @binding(2) var<storage, read_write> columns: array<vec2<f16>, 2>;

@compute @workgroup_size(1)
fn main() {
    copy = m;
    copy.wide[1] = m.wide[0];
    columns[0] = m.narrow[2];
    columns[1] = vec2(m.narrow[1][1], m.wide[1][2]);
}
