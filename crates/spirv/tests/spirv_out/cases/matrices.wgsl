struct U { a: mat2x2<f32>, @align(16) b: mat3x2<f32>, @align(16) c: array<mat4x2<f32>, 2>, d: mat2x3<f32> }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<storage, read_write> s: U;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    s = u; s.a = u.a; s.b[1] = u.b[i]; s.c[i] = u.c[1]; s.c[1][i] = u.c[i][i]; s.d[1] = u.d[i] * 2.0; s.c[1][2].y = u.c[i][1].x; s.c = u.c;
    s.a *= u.a; let x = u; s.b = x.b; s.a = transpose(u.a);
}
