// Access to shared memories. A part of a word is written by compare-exchange of the word, so bytes
// that other threads write are kept, and no thread sees half of a write.

@group(0) @binding(3) var<storage, read_write> memory: array<atomic<u32>>;

// Compare-exchange attempts before the thread retries the whole instruction.
const TRIES: u32 = 8u;

fn memory_word(which: u32, word: u32) -> u32 {
    return atomicLoad(&memory[memory_start(which) + word]);
}

// Writes the bits of a word that the mask selects; returns whether it succeeded.
fn set_memory_word(which: u32, word: u32, value: u32, mask: u32) -> bool {
    let i = memory_start(which) + word;
    if mask == 0xffffffffu {
        atomicStore(&memory[i], value);
        return true;
    }
    var old = atomicLoad(&memory[i]);
    for (var n = 0u; n < TRIES; n++) {
        spent += 1u;
        let result = atomicCompareExchangeWeak(&memory[i], old, (old & ~mask) | (value & mask));
        if result.exchanged {
            return true;
        }
        old = result.old_value;
    }
    return false;
}

fn memory_pages(which: u32) -> u32 {
    return atomicLoad(&resources[P.shared_sizes + which]);
}

// Sets the size; returns whether the memory still had the old size.
fn set_memory_pages(which: u32, old: u32, pages: u32) -> bool {
    return atomicCompareExchangeWeak(&resources[P.shared_sizes + which], old, pages).exchanged;
}
