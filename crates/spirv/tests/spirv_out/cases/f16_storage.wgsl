enable f16;
struct Halves { a: f16, b: vec3<f16>, c: mat3x2<f16> }
@group(0) @binding(0) var<storage, read_write> halves: Halves;
@group(0) @binding(1) var<uniform> one: vec4<f16>;
@compute @workgroup_size(1) fn main() { halves.a += one.x; halves.b = vec3(halves.c * halves.b, one.y); }
