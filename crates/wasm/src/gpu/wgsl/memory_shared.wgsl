// Memories of all threads together. A byte is written by clearing and setting its bits, so that other
// bytes of the word keep what other threads wrote.

@group(0) @binding(3) var<storage, read_write> memory: array<atomic<u32>>;

fn memory_word(which: u32, word: u32) -> u32 {
    return atomicLoad(&memory[memory_start(which) + word]);
}

// Writes the bits of a word that the mask has.
fn set_memory_word(which: u32, word: u32, value: u32, mask: u32) {
    let i = memory_start(which) + word;
    if mask == 0xffffffffu {
        atomicStore(&memory[i], value);
    } else {
        atomicAnd(&memory[i], ~mask);
        atomicOr(&memory[i], value & mask);
    }
}

fn memory_pages(which: u32) -> u32 {
    return atomicLoad(&world[P.shared_sizes + which]);
}

// Whether the memory still had the old size.
fn set_memory_pages(which: u32, old: u32, pages: u32) -> bool {
    return atomicCompareExchangeWeak(&world[P.shared_sizes + which], old, pages).exchanged;
}
