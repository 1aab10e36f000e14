@group(0) @binding(0) var<storage,read_write> o: array<f32>;
struct A { x: f32 } struct B { a: array<A, 2>, y: vec2<f32> }
fn g() -> array<B, 2> { var r: array<B,2>; return r; }
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) { let i = id.x; o[0] = g()[i].a[i].x + g()[1].a[i].x + g()[i].y[i] + g()[i].a[1].x; let q = g(); let z = q[i]; o[1] = z.a[i].x; let zz = z.a; o[2] = zz[i].x; o[3] = z.y[i]; }