@group(0) @binding(0) var<storage,read_write> o: array<f32>;
fn a(p: ptr<function, array<f32, 4>>) -> f32 { return b(p) + (*p)[0]; }
fn b(p: ptr<function, array<f32, 4>>) -> f32 { let q = p; (*q)[1] = 1.0; return c(&(*q)[2]); }
fn c(p: ptr<function, f32>) -> f32 { *p += 1.0; return *p; }
var<private> g: array<array<f32, 4>, 2>;
fn d(p: ptr<private, array<f32, 4>>, i: u32) -> f32 { return e(&(*p)[i]); }
fn e(p: ptr<private, f32>) -> f32 { *p += 1.0; return *p; }
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) { var x: array<array<f32,4>, 3>; o[0] = a(&x[id.x]) + d(&g[1], id.x); var y = x[1]; o[1] = a(&y); for (var i = 0; i < 2; i++) { var k: array<f32, 4>; o[2] += a(&k) + c(&k[i]); } }