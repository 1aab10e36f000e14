struct S { a: array<vec4<f32>, 4>, m: mat4x4<f32>, n: array<array<u32, 3>, 2> }
@group(0) @binding(0) var<storage, read_write> s: S;
@group(0) @binding(1) var<uniform> u: S2;
struct S2 { m: array<mat2x2<f32>, 2>, v: vec4<f32> }
var<private> p: S;
var<workgroup> w: array<atomic<u32>, 4>;
fn add(x: ptr<function, u32>, y: ptr<private, array<vec4<f32>, 4>>) -> f32 { *x += 1u; (*y)[*x % 4u].y = 2.0; return (*y)[1].x; }
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    let a = &s.a; let b = &(*a)[i]; 
    (*b).z = 1.0;
    (*b).y = (*b).x + (*a)[1].z + b.w + a[2].x;
    let d = &s.m; let e = &d[i]; (*e) = d[1]; e[i] = 1.0; (*e).z = d[2][i];
    let f = &s.n[i]; f[1] = 2u; (*f)[i] += 3u;
    let g = &u.m[i]; s.a[0] = vec4<f32>((*g)[1], (*g)[i]); let h = &u.v; s.a[1].x = (*h)[i];
    let k = &w[i]; atomicAdd(k, 1u); let q = atomicLoad(k);
    var t = array<u32, 3>(1u, 2u, q);
    s.a[2].x = add(&t[i], &p.a);
    s.n[1] = t;
    loop { let z = &t[1]; s.a[3].y += add(z, &p.a); if *z > 5u { break; } continuing { let y = &t[2]; *y += 1u; break if *y > 9u; } }
}
