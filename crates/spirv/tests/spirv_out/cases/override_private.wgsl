override n: f32 = 16;
var<private> x: f32 = n;
var<private> v: vec3<f32> = vec3<f32>(n, 1.0, n * 2.0);
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
fn f() -> f32 { return x + v.z; }
@compute @workgroup_size(1) fn main() { out[0] = f(); }
@compute @workgroup_size(1) fn other() { out[0] = 1.0; }
