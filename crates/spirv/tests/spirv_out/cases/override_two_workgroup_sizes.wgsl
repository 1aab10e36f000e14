override x: u32 = 8;
override y: u32 = 4;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(x) fn one(@builtin(local_invocation_index) i: u32) { out[i] = x; }
@compute @workgroup_size(y) fn two(@builtin(local_invocation_index) i: u32) { out[i] = y; }
@compute @workgroup_size(16) fn three(@builtin(local_invocation_index) i: u32) { out[i] = 1u; }
