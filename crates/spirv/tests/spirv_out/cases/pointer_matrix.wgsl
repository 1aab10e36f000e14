@group(0) @binding(0) var<storage,read_write> o: array<f32>;
fn f(m: ptr<function, mat3x3<f32>>, v: ptr<function, vec3<f32>>) { (*m)[1] = *v; (*v).x = 2.0; }
@compute @workgroup_size(1) fn main() { var a: array<mat3x3<f32>, 2>; var b: mat3x3<f32>; f(&a[1], &b[2]); o[0] = a[1][1].x + b[2].x; var i = 1u; f(&a[i], &a[0][i]); o[1] = a[i][0].x; }