struct S { a: array<vec3<f32>, 4>, b: f32, m: mat3x3<f32> }
var<private> g: array<S, 3>;
var<workgroup> w: array<S, 2>;
@group(0) @binding(0) var<storage, read_write> out: array<S>;
fn f(p: ptr<function, array<vec3<f32>, 4>>, i: i32) { (*p)[i].x = 2.0; (*p)[1] += vec3<f32>(1.0); }
fn h(p: ptr<private, S>) -> f32 { p.b += 1.0; return p.a[1].y; }
fn k(p: ptr<function, f32>) { *p += 1.0; }
fn v(p: ptr<function, vec3<f32>>) { p.x += 1.0; }
fn through(p: ptr<function, S>) { f(&p.a, 2); k(&p.b); v(&p.a[3]); }
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var s: array<S, 2>;
    let i = id.x;
    f(&s[i].a, 1);
    k(&s[1].b);
    v(&s[1].a[i]);
    through(&s[0]);
    v(&s[0].m[1]);
    var x = h(&g[i]);
    k(&x);
    let p = &s[1];
    let q = &(*p).a;
    f(q, 0);
    (*q)[i] = vec3<f32>(x);
    w[1] = s[1];
    let r = &out[i];
    (*r).b = w[i].b + (*q)[2].z;
    out[1] = s[0];
}
