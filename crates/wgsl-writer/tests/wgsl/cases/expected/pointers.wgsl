struct S {
    a: array<vec4<f32>, 4>,
    n: i32,
}

@group(0) @binding(0) var<storage, read_write> buffer: S;
var<private> p: S;

fn add(x: ptr<function, i32>, y: i32) {
    *x += y;
}

fn put(s: ptr<private, S>, i: i32) -> f32 {
    s.a[i].x = 1.0;
    s.n = i;
    return s.a[0].y + s.a[1].z;
}

@compute @workgroup_size(1)
fn main() {
    var local = 1;
    add(&local, 2);
    let q = &p.a[local];
    *q = vec4<f32>(2.0);
    q.w = 3.0;
    let e1 = *q;
    buffer.a[1] = e1 + vec4<f32>(put(&p, local));
    local = 4;
    add(&local, local);
    buffer.n = local;
}
