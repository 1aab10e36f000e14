@group(0) @binding(0) var<storage, read_write> a: array<i64>;
@group(0) @binding(1) var<storage, read_write> b: array<u64>;
@group(0) @binding(2) var<storage, read_write> c: array<f64>;
@compute @workgroup_size(1) fn main() { a[0] = a[1] * 3li / a[2] % 5li; b[0] = u64(a[0]) >> 3u; c[0] = f64(b[0]) * 2.0lf; }
