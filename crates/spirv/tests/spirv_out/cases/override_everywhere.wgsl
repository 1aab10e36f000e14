enable f16;
override i: i32 = 3; override u: u32 = 2; override f: f32 = 0.5; override b: bool = true; override h: f16 = 2.0h;
override k: i32 = select(i, -i, b); override l: u32 = u32(i) + u; override m: f32 = f32(i) * f + sqrt(f); override c: bool = !b || f > 1.0;
override z: u32 = clamp(u, 1u, 8u); override y: u32 = u32(b) + (u ^ 3u) % 4u;
const base = 4u;
var<workgroup> a1: array<u32, z>; var<workgroup> a2: array<vec2<f32>, y + base>; var<workgroup> a3: array<atomic<u32>, u>;
var<private> pv: vec2<f32> = vec2<f32>(f, m); var<private> pa: array<i32, 3> = array<i32, 3>(i, k, 1);
@group(0) @binding(0) var<storage, read_write> o: array<f32>;
fn helper(x: u32) -> f32 { var q: f32 = m; var r = array<f32, 2>(f, q); q += r[x % 2u]; if c { return q; } return f32(h); }
@compute @workgroup_size(z, y) fn main(@builtin(local_invocation_index) id: u32) {
    var x: u32 = l; var v = vec3<i32>(i, k, 1); let w = vec4<f32>(f);
    a1[id % z] = x; a2[id % y].x = f; atomicAdd(&a3[u - 1u], u); workgroupBarrier();
    for (var j: u32 = u; j < l; j += z) { var inner = j * u; x += inner; if b { continue; } x += 1u; }
    o[u] = helper(x) + w.x + f32(v.y) + f32(a1[1]) + pv.y + f32(pa[id % 3u]) + f32(atomicLoad(&a3[0]));
    switch i { case 3 { o[1] = 1.0; } default { o[l] = m; } }
}
