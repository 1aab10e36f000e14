override x: u32 = 8;
override y: i32 = 4;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(x, y, 2) fn main(@builtin(local_invocation_index) i: u32) { out[i] = x; }
