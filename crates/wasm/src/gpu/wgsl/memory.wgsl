// Loads and stores of bytes at any address. A row for each memory has its first word, its capacity
// in pages, and its maximum in pages.

fn memory_row(which: u32, word: u32) -> u32 {
    return atomicLoad(&resources[P.memory_rows + 3u * which + word]);
}

// The first memory begins at 0, and most programs have no other.
fn memory_start(which: u32) -> u32 {
    if which == 0u {
        return 0u;
    }
    return memory_row(which, 0u);
}

fn memory_capacity(which: u32) -> u32 {
    return memory_row(which, 1u);
}

fn load32(which: u32, at: u32) -> u32 {
    let shift = (at & 3u) * 8u;
    let low = memory_word(which, at >> 2u);
    if shift == 0u {
        return low;
    }
    return (low >> shift) | (memory_word(which, (at >> 2u) + 1u) << (32u - shift));
}

// Up to eight bytes; those after them are arbitrary.
fn load64(which: u32, at: u32, bytes: u32) -> vec2<u32> {
    let word = at >> 2u;
    let shift = (at & 3u) * 8u;
    var x = vec3<u32>(memory_word(which, word), 0u, 0u);
    if (at & 3u) + bytes > 4u {
        x.y = memory_word(which, word + 1u);
        if (at & 3u) + bytes > 8u {
            x.z = memory_word(which, word + 2u);
        }
    }
    if shift == 0u {
        return x.xy;
    }
    return (x.xy >> vec2<u32>(shift)) | (x.yz << vec2<u32>(32u - shift));
}

// Writes the low bytes of a pair; the masks are contiguous from the lowest bit. Returns whether it
// succeeded: if not, all of it has to be retried.
fn store64(which: u32, at: u32, value: vec2<u32>, mask: vec2<u32>) -> bool {
    let word = at >> 2u;
    let shift = (at & 3u) * 8u;
    var v = vec3<u32>(value, 0u);
    var m = vec3<u32>(mask, 0u);
    if shift != 0u {
        let back = vec2<u32>(32u - shift);
        v = vec3<u32>(value << vec2<u32>(shift), 0u) | vec3<u32>(0u, value >> back);
        m = vec3<u32>(mask << vec2<u32>(shift), 0u) | vec3<u32>(0u, mask >> back);
    }
    var is_done = set_memory_word(which, word, v.x, m.x);
    if m.y != 0u {
        is_done = set_memory_word(which, word + 1u, v.y, m.y) && is_done;
    }
    if m.z != 0u {
        is_done = set_memory_word(which, word + 2u, v.z, m.z) && is_done;
    }
    return is_done;
}

// Writes the low bytes of a word that the mask selects; it is contiguous from the lowest bit.
// Returns whether it succeeded.
fn store32(which: u32, at: u32, value: u32, mask: u32) -> bool {
    let shift = (at & 3u) * 8u;
    var is_done = set_memory_word(which, at >> 2u, value << shift, mask << shift);
    if shift != 0u {
        let beyond = mask >> (32u - shift);
        if beyond != 0u {
            is_done = set_memory_word(which, (at >> 2u) + 1u, value >> (32u - shift), beyond) && is_done;
        }
    }
    return is_done;
}

// Whether `bytes` bytes at an address, at least one, are in bounds.
fn is_inside(which: u32, at: u32, bytes: u32) -> bool {
    let last = at + (bytes - 1u);
    return last >= at && (last >> 16u) < memory_pages(which);
}

// The same for zero bytes or more: the address may be the end.
fn is_range(which: u32, at: u32, bytes: u32) -> bool {
    if bytes == 0u {
        let pages = memory_pages(which);
        return (at >> 16u) < pages || (at == pages << 16u && (pages >> 16u) == 0u);
    }
    return is_inside(which, at, bytes);
}

fn is_within(at: u32, count: u32, length: u32) -> bool {
    return at <= length && count <= length - at;
}

// A load instruction, of format `Load`.
fn load(op: u32, word: u32) {
    let which = word >> 24u;
    let base = slot((word >> 16u) & 0xffu);
    let at = base + program[pc + 1u];
    var bytes = 4u;
    switch op {
        case OP_I32Load8S, OP_I32Load8U, OP_I64Load8S, OP_I64Load8U: {
            bytes = 1u;
        }
        case OP_I32Load16S, OP_I32Load16U, OP_I64Load16S, OP_I64Load16U: {
            bytes = 2u;
        }
        case OP_I64Load: {
            bytes = 8u;
        }
        default: {}
    }
    if at < base || !is_inside(which, at, bytes) {
        fail(TRAP_OutOfBoundsMemory);
        return;
    }
    var value = load64(which, at, bytes);
    if bytes < 8u {
        value.y = 0u;
    }
    switch op {
        case OP_I32Load8U, OP_I64Load8U: {
            value.x &= 0xffu;
        }
        case OP_I32Load16U, OP_I64Load16U: {
            value.x &= 0xffffu;
        }
        case OP_I32Load8S, OP_I64Load8S: {
            value.x = shr_s32(value.x << 24u, 24u);
            value.y = shr_s32(value.x, 31u);
        }
        case OP_I32Load16S, OP_I64Load16S: {
            value.x = shr_s32(value.x << 16u, 16u);
            value.y = shr_s32(value.x, 31u);
        }
        case OP_I64Load32S: {
            value.y = shr_s32(value.x, 31u);
        }
        default: {}
    }
    let d = (word >> 8u) & 0xffu;
    put(d, value.x);
    if op >= OP_I64Load {
        put(d + 1u, value.y);
    }
    pc += 2u;
}

// A store instruction, of format `Store`.
fn store(op: u32, word: u32) {
    let which = word >> 24u;
    let base = slot((word >> 8u) & 0xffu);
    let at = base + program[pc + 1u];
    let bytes = 1u << (op - OP_Store8);
    if at < base || !is_inside(which, at, bytes) {
        fail(TRAP_OutOfBoundsMemory);
        return;
    }
    let x = (word >> 16u) & 0xffu;
    var value = vec2<u32>(slot(x), 0u);
    var mask = vec2<u32>(0xffffffffu >> (32u - 8u * min(bytes, 4u)), 0u);
    if op == OP_Store64 {
        value.y = slot(x + 1u);
        mask.y = 0xffffffffu;
    }
    // If other threads always won the race, the instruction is retried.
    if store64(which, at, value, mask) {
        pc += 2u;
    }
}

fn is_dropped(segment: u32) -> bool {
    return ((threads[own(P.dropped + (segment >> 5u))] >> (segment & 31u)) & 1u) != 0u;
}

// Data segments come first, element segments after them.
fn drop_segment(segment: u32) {
    threads[own(P.dropped + (segment >> 5u))] |= 1u << (segment & 31u);
    pc += 1u;
}

// The first word of a segment in the program, and its current length.
fn segment_at(segment: u32) -> vec2<u32> {
    let i = P.segments + 2u * segment;
    return vec2<u32>(program[i], select(program[i + 1u], 0u, is_dropped(segment)));
}

// Four bytes of a segment; those after its end are arbitrary.
fn segment_bytes(start: u32, at: u32) -> u32 {
    let shift = (at & 3u) * 8u;
    let low = program[start + (at >> 2u)];
    if shift == 0u {
        return low;
    }
    return (low >> shift) | (program[start + (at >> 2u) + 1u] << (32u - shift));
}

fn grow_memory(word: u32) {
    let which = program[pc + 1u];
    let old = memory_pages(which);
    let more = slot((word >> 16u) & 0xffu);
    let d = (word >> 8u) & 0xffu;
    let pages_allocated = memory_capacity(which);
    let pages = old + more;
    let is_too_much = more > memory_row(which, 2u) - old;
    if is_too_much || (pages > pages_allocated && P.pages_allocated - pages_allocated + pages > P.max_pages_allocated) {
        put(d, 0xffffffffu);
        pc += 2u;
        return;
    }
    // The host grows the capacity, then the instruction is retried.
    if pages > pages_allocated {
        threads[own(H_WANTED)] = (which << WANTED_PAGES) | pages;
        status = WAIT_MEMORY;
        return;
    }
    // If another thread won the race, the instruction is retried.
    if set_memory_pages(which, old, pages) {
        put(d, old);
        pc += 2u;
    }
}
