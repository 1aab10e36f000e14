// Tables of references, private to each thread.

fn table_size(table: u32) -> u32 {
    return threads[own(P.sizes + P.memories + table)];
}

// The offset of an element in the thread's state.
fn element(table: u32, index: u32) -> u32 {
    return own(P.tables + program[P.table_rows + 2u * table] + index);
}

fn grow_table(word: u32) {
    let table = program[pc + 1u];
    let old = table_size(table);
    let d = (word >> 8u) & 0xffu;
    let value = slot((word >> 16u) & 0xffu);
    let more = slot(word >> 24u);
    if more > program[P.table_rows + 2u * table + 1u] - old {
        put(d, 0xffffffffu);
        pc += 2u;
        return;
    }
    // The rest is filled in later iterations; the old size is kept in the thread's state meanwhile.
    let begun = threads[own(H_WANTED)];
    var done = begun;
    for (var i = 0u; i < CHUNK; i++) {
        if done >= more {
            break;
        }
        spent += 1u;
        threads[element(table, old + done)] = value;
        done += 1u;
    }
    threads[own(H_WANTED)] = done;
    if done >= more {
        threads[own(H_WANTED)] = 0u;
        threads[own(P.sizes + P.memories + table)] = old + more;
        put(d, old);
        pc += 2u;
    }
}

fn table_get(word: u32) {
    let table = program[pc + 1u];
    let index = slot((word >> 16u) & 0xffu);
    if index >= table_size(table) {
        fail(TRAP_OutOfBoundsTable);
        return;
    }
    put((word >> 8u) & 0xffu, threads[element(table, index)]);
    pc += 2u;
}

fn table_set(word: u32) {
    let table = program[pc + 1u];
    let index = slot((word >> 8u) & 0xffu);
    if index >= table_size(table) {
        fail(TRAP_OutOfBoundsTable);
        return;
    }
    threads[element(table, index)] = slot((word >> 16u) & 0xffu);
    pc += 2u;
}

// Enters a function with its frame at slot `base`; the instruction has `words` words.
fn call(base: u32, function: u32, words: u32) {
    let f = P.functions + 3u * function;
    let position = fp + base;
    if position + program[f + 1u] > P.stack_slots {
        fail(TRAP_StackExhausted);
        return;
    }
    put(base - 2u, pc + words);
    put(base - 1u, fp);
    enter(position);
    pc = program[f];
}

fn call_indirect(word: u32) {
    let names = program[pc + 2u];
    let table = (names >> 8u) & 0xffu;
    let index = slot(names & 0xffu);
    if index >= table_size(table) {
        fail(TRAP_UndefinedElement);
        return;
    }
    let reference = threads[element(table, index)];
    if reference == 0u {
        fail(TRAP_UninitializedElement);
        return;
    }
    if program[P.functions + 3u * (reference - 1u) + 2u] != program[pc + 1u] {
        fail(TRAP_IndirectCallType);
        return;
    }
    call(word >> 8u, reference - 1u, 3u);
}
