// A loop of compare-exchanges over both halves of 64 bits loses no update.
//: needs int64_atomics int64
//: workgroups 32
//: in  0:0 u64 0x00000000ffffffff
//: out 0:0 u64 4402341477375
@group(0) @binding(0) var<storage, read_write> state: atomic<u64>;

@compute @workgroup_size(32)
fn main() {
    loop {
        let before = atomicLoad(&state);
        // The halves count in opposite directions: a torn read would break their sum.
        let after = ((before >> 32u) + 1lu) << 32u | ((before - 1lu) & 0xfffffffflu);
        if atomicCompareExchangeWeak(&state, before, after).exchanged {
            break;
        }
    }
}
