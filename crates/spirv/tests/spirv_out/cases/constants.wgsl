struct S { a: vec3<f32>, b: array<u32, 2> }
const s = S(vec3<f32>(1.0), array<u32, 2>(1u, 2u));
const z = S();
const arr = array<S, 2>(s, z);
const m = mat2x3<f32>(vec3<f32>(1.0), vec3<f32>(2.0));
var<private> g: S = s;
var<private> h: array<S, 2> = arr;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var l = arr; var q = m; var k = vec4<bool>(true);
    out[0] = l[id.x].a.y + q[id.x].x + h[id.x].a.z + arr[id.x].a.x + m[id.x][id.y] + select(0.0, 1.0, k[id.x]);
    out[1] = g.a.x + f32(s.b[id.x]) + arr[1].a.x;
    const c = 3.0; let n = S(vec3<f32>(c), array<u32, 2>()); out[2] = n.a.x + f32(n.b[id.y]);
}
