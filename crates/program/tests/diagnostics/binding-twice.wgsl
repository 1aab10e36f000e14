@group(0) @binding(0) var<storage, read_write> first: array<u32>;
@group(0) @binding(0) var<uniform> second: vec4<f32>;

@compute @workgroup_size(1)
fn main() { first[0] = u32(second.x); }
