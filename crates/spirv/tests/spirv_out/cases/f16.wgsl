enable f16;
struct S { a: f16, b: vec3<f16>, c: mat2x2<f16>, d: array<f16, 3> }
@group(0) @binding(0) var<storage, read_write> s: S;
@group(0) @binding(1) var<uniform> u: vec4<f16>;
@compute @workgroup_size(1) fn main() { var x: f16 = s.a * 2.0h + u.x; x = max(x, f16(s.b.y)); s.d[1] = x + s.c[1].x; s.b = vec3<f16>(vec3<f32>(1.0)); s.a = sin(x) + fma(x, x, 1.0h); }
