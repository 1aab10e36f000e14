struct S { a: array<u32, 4>, b: u32 }
var<workgroup> w: array<u32, 8>;
var<workgroup> c: atomic<u32>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn g(p: ptr<workgroup, array<u32, 8>>) { (*p)[1] = 2u; }
fn h(p: ptr<workgroup, atomic<u32>>) { atomicAdd(p, 1u); }
@compute @workgroup_size(1) fn main() { g(&w); h(&c); out[0] = w[1]; }
