// Products of f16 matrices and vectors, at points where every step is exact.
//: needs f16
//: in  0:0 f16 1 2 3 4
//: in  0:1 f16 5 6
//: out 0:2 f16 23 34 17 39 7 10 15 22 2 4 9 12 -2 3
enable f16;

@group(0) @binding(0) var<storage, read> m: mat2x2<f16>;
@group(0) @binding(1) var<storage, read> v: vec2<f16>;
@group(0) @binding(2) var<storage, read_write> out: array<vec2<f16>, 7>;

@compute @workgroup_size(1)
fn main() {
    out[0] = m * v;
    out[1] = v * m;
    let product = m * m;
    out[2] = product[0];
    out[3] = product[1];
    let turned = transpose(m);
    out[4] = turned[1];
    out[5] = (m + m * 2h)[1];
    out[6] = vec2(determinant(m), f16(mat2x2<f32>(m)[1][0]));
}
