@group(0) @binding(0) var<storage, read_write> a: array<u32, 4>;
fn g(p: ptr<storage, u32, read_write>) {}
@compute @workgroup_size(1)
fn main() { g(&a[0]); }
