@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var t: texture_2d<f32>;
@group(0) @binding(2) var s: sampler;
@group(0) @binding(3) var<uniform> u: vec4<f32>;
override n: u32 = 4;
var<workgroup> w: array<u32, n>;
fn unused(p: ptr<function, u32>) { _ = *p; }
@compute @workgroup_size(1) fn main() { _ = t; _ = s; _ = u; _ = &a; _ = arrayLength(&a); let q = &w; _ = (*q)[0]; _ = n; }
@fragment fn f() { _ = t; _ = s; }
