// Access to private memories.

@group(0) @binding(3) var<storage, read_write> memory: array<u32>;

fn memory_word(which: u32, word: u32) -> u32 {
    return memory[own(memory_start(which) + word)];
}

// Writes the bits of a word that the mask selects, which always succeeds.
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

// Sets the size; returns whether the memory still had the old size.
fn set_memory_pages(which: u32, old: u32, pages: u32) -> bool {
    threads[own(P.sizes + which)] = pages;
    return true;
}

fn compare_exchange_memory(word: u32, expected: u32, value: u32) -> u32 {
    let old = memory[own(word)];
    if old == expected {
        memory[own(word)] = value;
    }
    return old;
}

fn atomic_on_memory(op: u32, word: u32, value: u32) -> u32 {
    let old = memory[own(word)];
    var changed = old;
    switch op {
        case ATOMIC_Add: {
            changed = old + value;
        }
        case ATOMIC_Sub: {
            changed = old - value;
        }
        case ATOMIC_MinS: {
            changed = select(old, value, lt_s32(value, old));
        }
        case ATOMIC_MinU: {
            changed = min(old, value);
        }
        case ATOMIC_MaxS: {
            changed = select(old, value, lt_s32(old, value));
        }
        case ATOMIC_MaxU: {
            changed = max(old, value);
        }
        case ATOMIC_And: {
            changed = old & value;
        }
        case ATOMIC_Or: {
            changed = old | value;
        }
        case ATOMIC_Xor: {
            changed = old ^ value;
        }
        case ATOMIC_Exchange: {
            changed = value;
        }
        default: {}
    }
    memory[own(word)] = changed;
    return old;
}
