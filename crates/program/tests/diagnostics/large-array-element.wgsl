var<workgroup> a: array<array<array<u32, 65536>, 65536>, 2>;
@compute @workgroup_size(1) fn main() { a[0][0][0] = 1; }
