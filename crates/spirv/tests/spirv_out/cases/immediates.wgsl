struct I { a: vec4<f32>, b: u32 }
var<immediate> i: I;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { out[i.b] = i.a.x; }
