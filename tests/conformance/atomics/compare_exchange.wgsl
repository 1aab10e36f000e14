// A compare-exchange stores only where the old value is the expected one, and says so.
// A weak exchange may fail without a reason, so the equal case is tried until it succeeds.
//: in  0:0 u32 5 5
//: in  0:1 i32 -5
//: out 0:0 u32 9 5
//: out 0:1 i32 7
//: out 0:2 u32 5 1 5 0 1
@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> b: atomic<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 5>;

@compute @workgroup_size(1)
fn main() {
    for (var tries = 0; tries < 1000; tries++) {
        let hit = atomicCompareExchangeWeak(&a[0], 5u, 9u);
        out[0] = hit.old_value;
        out[1] = u32(hit.exchanged);
        if hit.exchanged {
            break;
        }
    }
    let miss = atomicCompareExchangeWeak(&a[1], 4u, 9u);
    out[2] = miss.old_value;
    out[3] = u32(miss.exchanged);
    for (var tries = 0; tries < 1000; tries++) {
        if atomicCompareExchangeWeak(&b, -5, 7).exchanged {
            out[4] = 1u;
            break;
        }
    }
}
