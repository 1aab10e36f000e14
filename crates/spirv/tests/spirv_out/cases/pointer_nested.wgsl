struct T { x: u32, y: array<u32, 3> }
struct S { a: array<T, 4>, b: u32 }
var<workgroup> w: S;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn g(p: ptr<workgroup, array<u32, 3>>, i: u32) { (*p)[i] = 2u; }
@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) { g(&w.a[i].y, i); out[0] = w.b; }
