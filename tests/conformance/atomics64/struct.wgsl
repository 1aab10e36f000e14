// 64-bit atomics in a struct are aligned to 8 bytes, and out of bounds they do nothing.
//: needs int64_atomics int64
//: in  0:0 u32 7 _ u64 0xffffffff i64 -3 4
//: in  0:1 u32 1 2 0xffffffff
//: out 0:0 u32 7 _ u64 0x100000000 i64 -3 14
//: out 0:2 i64 4 0 0
//: deviates lavapipe "the address wraps" 0:0 u32 = = u64 0x10000000a = =
//: deviates lavapipe "the address wraps" 0:2 i64 = = 0x100000000
struct Counters {
    before: u32,
    counter: atomic<u64>,
    after: array<atomic<i64>>,
}

@group(0) @binding(0) var<storage, read_write> c: Counters;
@group(0) @binding(1) var<storage, read> at: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(1)
fn main() {
    atomicAdd(&c.counter, 1lu);
    for (var i = 0u; i < 3u; i++) {
        out[i] = atomicAdd(&c.after[at[i]], 10li);
    }
}
