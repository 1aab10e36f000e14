struct U { a: vec4<f32>, b: mat3x3<f32>, c: f32 }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<storage, read> r: array<U>;
@group(0) @binding(2) var<storage, read_write> w: array<f32>;
@group(0) @binding(3) var t: texture_2d<f32>;
@group(0) @binding(4) var s: sampler;
@group(0) @binding(5) var<storage, read_write> unused: array<f32>;
var<private> p: f32 = 3.0;
var<workgroup> g: array<f32, 4>;
fn deep() -> f32 { return u.c + p; }
fn mid() -> f32 { return deep() + r[1].b[2].y; }
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { g[i] = mid(); workgroupBarrier(); w[i] = g[3u - i]; p = 2.0; }
@fragment fn frag() -> @location(0) vec4<f32> { return textureSample(t, s, u.a.xy) * deep(); }
@vertex fn vert() -> @builtin(position) vec4<f32> { return r[0].a; }
