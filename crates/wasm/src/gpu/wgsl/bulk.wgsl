// Bulk instructions on bytes or elements, one chunk in each iteration.

const CHUNK: u32 = 32u;

// One chunk of filling, copying or initializing bytes of a memory or elements of a table. The slots
// hold what is left, so that the instruction can be resumed.
fn bulk(op: u32, word: u32) {
    let a = (word >> 8u) & 0xffu;
    let b = (word >> 16u) & 0xffu;
    let c = word >> 24u;
    var target_at = slot(a);
    var source = slot(b);
    var left = slot(c);
    let names = program[pc + 1u];
    let into = names & 0xffffu;
    let origin = names >> 16u;
    let is_table = op >= OP_TableSize;
    let is_copy = op == OP_MemoryCopy || op == OP_TableCopy;
    let is_fill = op == OP_MemoryFill || op == OP_TableFill;
    var is_valid = is_in_range(is_table, into, target_at, left);
    var segment = vec2<u32>(0u, 0u);
    if is_copy {
        is_valid = is_valid && is_in_range(is_table, origin, source, left);
    } else if !is_fill {
        segment = segment_at(select(0u, P.data_segments, is_table) + origin);
        is_valid = is_valid && is_within(source, left, segment.y);
    }
    if !is_valid {
        fail(select(TRAP_OutOfBoundsMemory, TRAP_OutOfBoundsTable, is_table));
        return;
    }
    let backward = is_copy && source < target_at;
    for (var i = 0u; i < CHUNK; i++) {
        if left == 0u {
            break;
        }
        spent += 1u;
        // Elements are processed one by one, bytes by fours.
        let chunk = select(1u, 4u, left >= 4u && !is_table);
        let offset = select(0u, left - chunk, backward);
        if is_table {
            var value = source;
            if is_copy {
                value = threads[element(origin, source + offset)];
            } else if !is_fill {
                value = program[segment.x + source];
            }
            threads[element(into, target_at + offset)] = value;
        } else {
            var value = (source & 0xffu) * 0x01010101u;
            if is_copy {
                value = load32(origin, source + offset);
            } else if !is_fill {
                value = segment_bytes(segment.x, source);
            }
            let mask = select(0xffu, 0xffffffffu, chunk == 4u);
            if !store32(into, target_at + offset, value, mask) {
                break;
            }
        }
        left -= chunk;
        if !backward {
            target_at += chunk;
            source += select(chunk, 0u, is_fill);
        }
    }
    if left == 0u {
        pc += 2u;
    }
    // The three slots may be the same.
    put(a, target_at);
    put(b, source);
    put(c, left);
}

// Whether a range of a memory, in bytes, or of a table, in elements, is in bounds.
fn is_in_range(is_table: bool, which: u32, at: u32, count: u32) -> bool {
    if is_table {
        return is_within(at, count, table_size(which));
    }
    return is_range(which, at, count);
}
