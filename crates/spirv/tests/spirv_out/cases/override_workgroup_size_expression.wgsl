override x: u32 = 8;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(x * 2 + 1, max(x, 2u)) fn main(@builtin(local_invocation_index) i: u32) { out[i] = x; }
