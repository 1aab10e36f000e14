@group(0) @binding(0) var<storage, read> input: array<u32>;
@compute @workgroup_size(1)
fn main() { input[0] = 1; }
