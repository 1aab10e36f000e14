@group(0) @binding(0) var<storage, read_write> o: array<vec4<f32>>;
struct R { v: vec4<f32>, k: array<f32, 3> }
fn make(x: f32) -> R { return R(vec4<f32>(x), array<f32, 3>(x, x, x)); }
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let r = make(o[0].x);
    var i = id.x;
    if r.v.x > 1.0 { let q = r.k[i]; o[1].x = q + r.k[i]; } else if r.k[i] > 2.0 { o[1].y = r.k[i + 1u]; }
    switch i { case 0u { o[2].x = r.k[i]; } case 1u { o[2].y = r.v[i]; } default { o[2].z = make(2.0).k[i]; } }
    for (var j = 0; j < 3; j++) { o[3][j] = r.k[j] + r.v[j]; if r.k[j] > 9.0 { continue; } o[4] += make(r.k[j]).v; }
    while r.k[i] < 3.0 { i += 1u; if i > 2u { break; } }
    let m = mat3x3<f32>(r.v.xyz, r.v.yzw, r.v.xxx);
    o[5] = vec4<f32>(m[i], m[i][i]) + vec4<f32>(m[1][i]);
    _ = make(1.0); _ = r.k[i];
    o[6].x = select(r.k[i], r.k[0], i > 1u && r.k[1] > 0.0);
    { let s = r; o[7].x = s.k[i]; }
    const n = array<vec2<f32>, 2>(vec2<f32>(1.0, 2.0), vec2<f32>(3.0, 4.0));
    o[7].y = n[i].x + n[i][i] + n[1][i];
}
