@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>>;
struct S { x: atomic<i32>, y: u32 }
@group(0) @binding(1) var<storage, read_write> b: S;
var<workgroup> c: array<atomic<u32>, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    atomicStore(&c[i], i); workgroupBarrier();
    var x = atomicAdd(&a[i], 1u) + atomicSub(&a[0], 1u) + atomicMax(&c[1], i) + atomicMin(&c[1], i) + atomicAnd(&a[1], i) + atomicOr(&a[1], i) + atomicXor(&a[1], i) + atomicExchange(&a[1], i);
    let r = atomicCompareExchangeWeak(&a[2], 1u, 2u);
    if r.exchanged { x += r.old_value; }
    b.y = x + u32(atomicLoad(&b.x)); atomicMax(&b.x, -3);
    let s = atomicCompareExchangeWeak(&b.x, 1, 2); atomicStore(&b.x, s.old_value);
    storageBarrier(); textureBarrier();
    let z = workgroupUniformLoad(&k); if z > 1u { workgroupBarrier(); }
}
var<workgroup> k: u32;
