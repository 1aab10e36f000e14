// Nothing is exchanged where nothing is, although it reads as the zero that is expected.
//: in  0:0 u32 0 1 2 9
//: in  0:1 u32 0*3
//: out 0:1 u32 7*3
//: out 0:2 u32 1 1 1 0
//: deviates lavapipe "it compares the zero that it has read" 0:2 u32 1 1 1 1
@group(0) @binding(0) var<storage, read> at: array<u32>;
@group(0) @binding(1) var<storage, read_write> words: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> exchanged: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    let result = atomicCompareExchangeWeak(&words[at[i]], 0u, 7u);
    exchanged[i] = u32(result.exchanged);
}
