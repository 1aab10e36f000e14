// Matrices add and subtract component by component and scale by a scalar on either side.
//: in  0:0 f32 1 2 3 4
//: in  0:1 f32 10 20 30 40
//: out 0:2 f32 11 22 33 44   9 18 27 36   0.5 1 1.5 2   0.5 1 1.5 2
@group(0) @binding(0) var<storage, read> a: mat2x2<f32>;
@group(0) @binding(1) var<storage, read> b: mat2x2<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<mat2x2<f32>, 4>;

@compute @workgroup_size(1)
fn main() {
    out[0] = a + b;
    out[1] = b - a;
    out[2] = a * 0.5;
    out[3] = 0.5 * a;
}
