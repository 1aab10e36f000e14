// A matrix times a scalar, from either side, and the difference of matrices.
//: in  0:0 f32 1 2 3 4 5 6
//: in  0:1 f32 0.5
//: out 0:2 f32 0.5 1 1.5 2 2.5 3   0.5 1 1.5 2 2.5 3   0.5 1 1.5 2 2.5 3
@group(0) @binding(0) var<storage, read> m: mat3x2<f32>;
@group(0) @binding(1) var<storage, read> x: f32;
@group(0) @binding(2) var<storage, read_write> out: array<mat3x2<f32>, 3>;

@compute @workgroup_size(1)
fn main() {
    out[0] = m * x;
    out[1] = x * m;
    out[2] = m - x * m;
}
