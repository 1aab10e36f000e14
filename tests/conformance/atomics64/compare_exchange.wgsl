// A compare-exchange of 64 bits compares both halves.
//: needs int64_atomics int64
//: in  0:0 u64 0x100000002 0x2 0x100000003
//: out 0:0 u64 77 0x2 0x100000003
//: out 0:1 u64 0x100000002 0x2 0x100000003
//: out 0:2 u32 1 0 0
@group(0) @binding(0) var<storage, read_write> a: array<atomic<u64>, 3>;
@group(0) @binding(1) var<storage, read_write> old: array<u64, 3>;
@group(0) @binding(2) var<storage, read_write> exchanged: array<u32, 3>;

fn exchange(i: u32, expected: u64) {
    // The weak form may fail although the values are equal.
    loop {
        let result = atomicCompareExchangeWeak(&a[i], expected, 77lu);
        old[i] = result.old_value;
        exchanged[i] = u32(result.exchanged);
        if result.exchanged || result.old_value != expected {
            break;
        }
    }
}

@compute @workgroup_size(1)
fn main() {
    exchange(0u, 0x100000002lu);
    exchange(1u, 0x100000002lu);
    exchange(2u, 0x100000002lu);
}
