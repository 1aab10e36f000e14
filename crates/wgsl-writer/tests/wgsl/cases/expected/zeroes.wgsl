struct S {
    a: f32,
    b: vec2<i32>,
    c: array<u32, 3>,
}

fn f() -> S {
    var s: S;
    var v: vec3<f32>;
    var x: f32;
    var m: mat2x2<f32>;
    s.a = v.x + x + m[0].y;
    var b = s.a > 1.0;
    if b {
        return S();
    }
    for (var i = 0; i < 3; i++) {
        var t: S;
        t.c[i] += 1u;
        s = t;
    }
    return S(1.0, vec2<i32>(), array<u32, 3>(1u, 2u, 3u));
}
