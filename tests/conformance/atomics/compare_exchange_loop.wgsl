// A compare-exchange loop in workgroup memory makes any operation atomic.
//: out 0:0 u32 5764801
// 7 to the power of 8, one factor from each invocation.
@group(0) @binding(0) var<storage, read_write> out: array<u32, 1>;

var<workgroup> product: atomic<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i == 0u {
        atomicStore(&product, 1u);
    }
    workgroupBarrier();
    var done = false;
    for (var tries = 0u; tries < 1000u && !done; tries++) {
        let old = atomicLoad(&product);
        done = atomicCompareExchangeWeak(&product, old, old * 7u).exchanged;
    }
    workgroupBarrier();
    if i == 0u {
        out[0] = atomicLoad(&product);
    }
}
