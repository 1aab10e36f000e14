@group(0) @binding(0) var<storage, read_write> a: array<array<array<u32, 2>, 65536>, 65536>;
@compute @workgroup_size(1) fn main() { a[0][0][0] = 1; }
