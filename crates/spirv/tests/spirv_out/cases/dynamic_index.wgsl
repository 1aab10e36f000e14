struct S { a: array<vec3<f32>, 4>, m: mat4x2<f32> }
@group(0) @binding(0) var<uniform> u: S2;
struct S2 { m: mat4x4<f32>, k: array<mat2x2<f32>, 3>, n: mat3x2<f32> }
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
const table = array<f32, 4>(1.0, 2.0, 3.0, 4.0);
fn make(i: u32) -> S { var s: S; s.a[i].y = 3.0; return s; }
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    let s = make(i);
    out[0] = s.a[i].y + s.a[i][i] + s.m[i].y + s.m[i][i];
    out[1] = table[i] + array<f32, 3>(1.0, 2.0, f32(i))[i];
    let a = array<array<f32, 2>, 2>(array<f32, 2>(1.0, 2.0), array<f32, 2>(f32(i), 4.0));
    out[2] = a[i][1] + a[1][i] + a[i][i];
    out[3] = u.m[i][1] + u.k[i][1][i] + u.n[i].x + u.n[1][i];
    let m = u.k; out[4] = m[i][i].x; let nn = u.n; out[5] = nn[i][i];
    let v = id; out[6] = f32(v[i]);
    let all = u; out[7] = all.k[i][0][1] + all.n[2].y;
    if i > 3u { let q = s.a; out[8] = q[i + 1u].z; } else { let q = s.a; out[8] = q[i].z; }
    loop { let q = make(i).a; out[9] += q[i].x; if out[9] > 3.0 { break; } continuing { let z = make(1u).a; out[10] = z[i].x; } }
}
