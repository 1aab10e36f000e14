// The entry points: initialization of threads, execution of a slice, scheduling between slices, and
// transfers between memories and the host.

const LANES: u32 = 64u;

fn invocation(group: vec3<u32>, groups: vec3<u32>, lane: u32) -> u32 {
    return (group.y * groups.x + group.x) * LANES + lane;
}

// Initializes every thread, before the kernel's first instruction.
@compute @workgroup_size(64)
fn begin(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    thread = invocation(group, groups, lane);
    if thread >= P.count {
        return;
    }
    threads[own(H_PC)] = P.entry;
    threads[own(H_FP)] = 2u;
    threads[own(H_STATUS)] = select(ABSENT, READY, number() < P.threads);
    threads[own(H_TRAP)] = 0u;
    threads[own(H_WORD)] = 0u;
    threads[own(H_FUEL)] = P.fuel_low;
    threads[own(H_FUEL + 1u)] = P.fuel_high;
    threads[own(H_RUN)] = 0u;
    threads[own(H_RUN + 1u)] = 0u;
    threads[own(H_WANTED)] = 0u;
    // The initial state of an instance, or what its initialization left: sizes, globals and so on.
    for (var i = 0u; i < P.init_word_count; i++) {
        threads[own(P.sizes + i)] = atomicLoad(&resources[P.init_words + i]);
    }
    threads[own(P.stack)] = 0u;
    threads[own(P.stack + 1u)] = 2u;
    for (var i = 0u; i < P.argument_words; i++) {
        threads[own(P.stack + 2u + i)] = atomicLoad(&resources[P.arguments + i]);
    }
    if P.stack_bytes != 0u {
        threads[own(P.globals + P.stack_pointer)] = P.stacks + (number() + 1u) * P.stack_bytes;
    }
}

// Whether the thread continues with an instruction of this kind, which is then decoded.
fn continues_with(allowed: u32, wanted: u32) -> bool {
    if status != READY || steps >= allowed || steps + spent >= P.slice {
        return false;
    }
    instruction = program[pc];
    return kind(instruction & 0xffu) == wanted;
}

@compute @workgroup_size(64)
fn run(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    thread = invocation(group, groups, lane);
    if thread >= P.count {
        return;
    }
    status = threads[own(H_STATUS)];
    if status != READY {
        return;
    }
    pc = threads[own(H_PC)];
    enter(threads[own(H_FP)]);
    var fuel = vec2<u32>(threads[own(H_FUEL)], threads[own(H_FUEL + 1u)]);
    var allowed = P.slice;
    if P.has_fuel != 0u && fuel.y == 0u {
        allowed = min(allowed, fuel.x);
    }
    steps = 0u;
    spent = 0u;
    // Iterations of the loops around an instruction are counted in `spent`.
    loop {
        loop {
            loop {
                loop {
                    loop {
                        if !continues_with(allowed, COMMON) {
                            break;
                        }
                        common_step(instruction);
                        steps += 1u;
                    }
                    if !continues_with(allowed, LONG) {
                        break;
                    }
                    integer64(instruction & 0xffu, instruction);
                    steps += 1u;
                    spent += 1u;
                }
                if !continues_with(allowed, SINGLE) {
                    break;
                }
                float32(instruction & 0xffu, instruction);
                steps += 1u;
                spent += 2u;
            }
            if !continues_with(allowed, DOUBLE) {
                break;
            }
            float64(instruction & 0xffu, instruction);
            steps += 1u;
            spent += 3u;
        }
        if !continues_with(allowed, RARE) {
            break;
        }
        rare_step(instruction);
        steps += 1u;
        spent += 4u;
    }
    fuel = sub64(fuel, vec2<u32>(steps, 0u));
    if P.has_fuel != 0u {
        threads[own(H_FUEL)] = fuel.x;
        threads[own(H_FUEL + 1u)] = fuel.y;
        if status == READY && is_zero64(fuel) {
            fail(TRAP_FuelExhausted);
        }
    }
    let run = vec2<u32>(threads[own(H_RUN)], threads[own(H_RUN + 1u)]);
    let total = add64(run, vec2<u32>(steps, 0u));
    threads[own(H_RUN)] = total.x;
    threads[own(H_RUN + 1u)] = total.y;
    threads[own(H_PC)] = pc;
    threads[own(H_FP)] = fp;
    threads[own(H_STATUS)] = status;
}

// Whether a memory has capacity for the pages that a thread waits for.
fn has_capacity(wanted: u32) -> bool {
    let pages = wanted & ((1u << WANTED_PAGES) - 1u);
    return pages <= memory_capacity(wanted >> WANTED_PAGES);
}

// One invocation for each workgroup of the launch: releases its barrier, wakes threads that can
// continue, and counts statuses.
@compute @workgroup_size(64)
fn schedule(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let which = invocation(group, groups, lane);
    if which * P.group_threads >= P.count {
        return;
    }
    let first = which * P.group_threads;
    var waiting = 0u;
    var ended = 0u;
    var present = 0u;
    for (var i = 0u; i < P.group_threads; i++) {
        thread = first + i;
        let s = threads[own(H_STATUS)];
        waiting += select(0u, 1u, s == WAIT_BARRIER);
        ended += select(0u, 1u, s == DONE || s == TRAPPED);
        present += select(0u, 1u, s != ABSENT);
    }
    let is_whole = waiting != 0u && waiting + ended == present;
    let has_room = atomicLoad(&report[REPORT_REQUESTS]) == 0u;
    let has_work = atomicLoad(&resources[P.queue]) != atomicLoad(&resources[P.queue + 1u]);
    let is_closed = atomicLoad(&resources[P.queue + 2u]) != 0u;
    for (var i = 0u; i < P.group_threads; i++) {
        thread = first + i;
        let before = threads[own(H_STATUS)];
        status = before;
        if before == WAIT_BARRIER && is_whole {
            status = READY;
            if ended != 0u {
                pc = threads[own(H_PC)] - 1u;
                fail(TRAP_Barrier);
            }
        } else if before == WAIT_RING && has_room {
            status = READY;
        } else if before == WAIT_WORK && (has_work || is_closed) {
            status = READY;
        } else if before == WAIT_MEMORY {
            let wanted = threads[own(H_WANTED)];
            if has_capacity(wanted) {
                threads[own(H_WANTED)] = 0u;
                status = READY;
            } else {
                atomicMax(&report[REPORT_WANTED], wanted);
            }
        }
        if status != before {
            threads[own(H_STATUS)] = status;
        }
        atomicAdd(&report[REPORT_COUNTS + status], 1u);
    }
}

// Copies bytes of memory 0 to the staging buffer. Row y is `thread, address, bytes, first word`.
@compute @workgroup_size(64)
fn gather(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let at = 4u * group.y;
    let word = group.x * LANES + lane;
    thread = transfer[at];
    if word < (transfer[at + 2u] + 3u) / 4u {
        transfer[transfer[at + 3u] + word] = load32(0u, transfer[at + 1u] + 4u * word);
    }
}

// The inverse of `gather`. Each invocation has one word of memory, of which the row may cover a
// part.
@compute @workgroup_size(64)
fn scatter(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let at = 4u * group.y;
    thread = transfer[at];
    let address = transfer[at + 1u];
    let bytes = transfer[at + 2u];
    let word = (address >> 2u) + group.x * LANES + lane;
    var value = 0u;
    var mask = 0u;
    for (var i = 0u; i < 4u; i++) {
        let byte = 4u * word + i - address;
        if byte < bytes {
            let piece = (transfer[transfer[at + 3u] + (byte >> 2u)] >> ((byte & 3u) * 8u)) & 0xffu;
            value |= piece << (i * 8u);
            mask |= 0xffu << (i * 8u);
        }
    }
    if mask == 0u {
        return;
    }
    // A word may belong to several rows, of which there are far fewer than attempts.
    for (var n = 0u; n < 4096u; n++) {
        if set_memory_word(0u, word, value, mask) {
            break;
        }
    }
}

const NO_VALUE: u32 = 0u;
const A_VALUE: u32 = 1u;

// Resumes threads with the result of a host call, or traps them. A row is `thread, slot, value,
// kind`.
@compute @workgroup_size(64)
fn resume(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let at = 4u * (group.x * LANES + lane);
    thread = transfer[at];
    // Padding rows of the last workgroup name no thread.
    if thread >= P.count {
        return;
    }
    let kind = transfer[at + 3u];
    status = READY;
    if kind == A_VALUE {
        threads[own(P.stack + transfer[at + 1u])] = transfer[at + 2u];
    } else if kind != NO_VALUE {
        pc = threads[own(H_PC)] - 1u;
        fail(transfer[at + 2u]);
    }
    threads[own(H_STATUS)] = status;
}
