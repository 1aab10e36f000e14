// Memories of each thread's own.

@group(0) @binding(3) var<storage, read_write> memory: array<u32>;

fn memory_word(which: u32, word: u32) -> u32 {
    return memory[own(memory_start(which) + word)];
}

// Writes the bits of a word that the mask has, which always goes well.
fn set_memory_word(which: u32, word: u32, value: u32, mask: u32) -> bool {
    let i = own(memory_start(which) + word);
    var whole = value;
    if mask != 0xffffffffu {
        whole = (memory[i] & ~mask) | (value & mask);
    }
    memory[i] = whole;
    return true;
}

fn memory_pages(which: u32) -> u32 {
    return threads[own(P.sizes + which)];
}

// Whether the memory still had the old size.
fn set_memory_pages(which: u32, old: u32, pages: u32) -> bool {
    threads[own(P.sizes + which)] = pages;
    return true;
}
