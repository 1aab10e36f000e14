// Host calls. One that cannot complete at once is retried, or the thread waits.

struct ThreadIds {
    local_index: u32,
    local: vec3<u32>,
    group: vec3<u32>,
}

fn split_by(n: u32, size: vec3<u32>) -> vec3<u32> {
    let row = n / size.x;
    let plane = row / size.y;
    return vec3<u32>(n - row * size.x, row - plane * size.y, plane);
}

fn grid() -> vec3<u32> {
    return vec3<u32>(P.groups_x, P.groups_y, P.groups_z);
}

fn group_size() -> vec3<u32> {
    return vec3<u32>(P.size_x, P.size_y, P.size_z);
}

fn thread_ids() -> ThreadIds {
    let group = thread / P.group_threads;
    let local_index = thread - group * P.group_threads;
    return ThreadIds(local_index, split_by(local_index, group_size()), split_by(P.first_group + group, grid()));
}

// The thread's linear index in the grid, x first.
fn number() -> u32 {
    let p = thread_ids();
    let at = p.group * group_size() + p.local;
    let width = grid() * group_size();
    return (at.z * width.y + at.y) * width.x + at.x;
}

fn component(v: vec3<u32>, which: u32) -> u32 {
    switch which {
        case 0u: {
            return v.x;
        }
        case 1u: {
            return v.y;
        }
        case 2u: {
            return v.z;
        }
        default: {
            return 0u;
        }
    }
}

const INVALID: u32 = 0xffffffffu;

// The index of a word of workgroup memory, by its address in memory 0; `INVALID` after a trap.
fn in_workgroup(at: u32) -> u32 {
    let byte = at - P.statics;
    if at < P.statics || (at & 3u) != 0u || (byte >> 2u) >= P.group_words {
        fail(TRAP_WorkgroupMemory);
        return INVALID;
    }
    return P.group_memory + (thread / P.group_threads) * P.group_words + (byte >> 2u);
}

// Whether an address is that of an aligned word of memory 0; else traps.
fn is_whole_word(at: u32) -> bool {
    if (at & 3u) != 0u || !is_inside(0u, at, 4u) {
        fail(TRAP_OutOfBoundsMemory);
        return false;
    }
    return true;
}

// The offset and length in words of the buffer at a binding.
fn buffer_at(binding: u32) -> vec2<u32> {
    for (var i = 0u; i < P.buffer_count; i++) {
        spent += 1u;
        let at = P.buffers + 3u * i;
        if atomicLoad(&resources[at]) == binding {
            return vec2<u32>(atomicLoad(&resources[at + 1u]), atomicLoad(&resources[at + 2u]));
        }
    }
    return vec2<u32>(0u, 0u);
}

fn in_buffer(binding: u32, word: u32) -> u32 {
    let buffer = buffer_at(binding);
    return select(INVALID, buffer.x + word, word < buffer.y);
}

fn host_instruction(op: u32, word: u32) {
    let a = (word >> 8u) & 0xffu;
    let b = (word >> 16u) & 0xffu;
    switch op {
        case OP_Gid: {
            put(a, number());
        }
        case OP_Time: {
            put(a, P.clock);
        }
        case OP_StOut: {
            let pixel = slot(a);
            if pixel < P.picture_pixels {
                let at = P.picture + 4u * pixel;
                atomicStore(&resources[at], slot(b));
                atomicStore(&resources[at + 1u], slot(b + 1u));
                atomicStore(&resources[at + 2u], slot(b + 2u));
                atomicStore(&resources[at + 3u], slot(b + 3u));
            }
        }
        case OP_LdIn: {
            let at = slot(b);
            var value = 0u;
            if at < P.input_words {
                value = atomicLoad(&resources[P.input + at]);
            }
            put(a, value);
        }
        case OP_AtomicAdd: {
            let at = slot(b);
            var old = 0u;
            if at < P.state_words {
                old = atomicAdd(&resources[P.state + at], slot(word >> 24u));
            }
            put(a, old);
        }
        default: {
            host(word >> 16u, a);
            return;
        }
    }
    pc += 1u;
}

fn host(which: u32, a: u32) {
    retry = false;
    switch which {
        case HOST_PixelIndex: {
            let x = slot(a);
            let y = slot(a + 1u);
            let inside = x < P.picture_width && y < P.picture_height;
            put(a, select(INVALID, y * P.picture_width + x, inside));
        }
        case HOST_ReadState: {
            let at = slot(a);
            var value = 0u;
            if at < P.state_words {
                value = atomicLoad(&resources[P.state + at]);
            }
            put(a, value);
        }
        case HOST_WriteState: {
            let at = slot(a);
            if at < P.state_words {
                atomicStore(&resources[P.state + at], slot(a + 1u));
            }
        }
        case HOST_GlobalId: {
            let p = thread_ids();
            put(a, component(p.group * group_size() + p.local, slot(a)));
        }
        case HOST_LocalId: {
            put(a, component(thread_ids().local, slot(a)));
        }
        case HOST_WorkgroupId: {
            put(a, component(thread_ids().group, slot(a)));
        }
        case HOST_NumWorkgroups: {
            put(a, component(grid(), slot(a)));
        }
        case HOST_WorkgroupSize: {
            put(a, component(group_size(), slot(a)));
        }
        case HOST_LocalIndex: {
            put(a, thread_ids().local_index);
        }
        case HOST_WorkgroupBarrier, HOST_StorageBarrier: {
            status = WAIT_BARRIER;
        }
        case HOST_WorkgroupLoad: {
            let at = in_workgroup(slot(a));
            if at == INVALID {
                return;
            }
            put(a, atomicLoad(&resources[at]));
        }
        case HOST_WorkgroupStore: {
            let at = in_workgroup(slot(a));
            if at == INVALID {
                return;
            }
            atomicStore(&resources[at], slot(a + 1u));
        }
        case HOST_WorkgroupAtomic: {
            let at = in_workgroup(slot(a + 1u));
            if at == INVALID {
                return;
            }
            put_result(a, atomic_on_resources(slot(a), at, slot(a + 2u)));
        }
        case HOST_WorkgroupCompareExchange: {
            let at = in_workgroup(slot(a));
            if at == INVALID {
                return;
            }
            put_result(a, compare_exchange_resources(at, slot(a + 1u), slot(a + 2u)));
        }
        case HOST_BufferLen: {
            put(a, buffer_at(slot(a)).y);
        }
        case HOST_BufferLoad: {
            let at = in_buffer(slot(a), slot(a + 1u));
            var value = 0u;
            if at != INVALID {
                value = atomicLoad(&resources[at]);
            }
            put(a, value);
        }
        case HOST_BufferStore: {
            let at = in_buffer(slot(a), slot(a + 1u));
            if at != INVALID {
                atomicStore(&resources[at], slot(a + 2u));
            }
        }
        case HOST_BufferAtomic: {
            let at = in_buffer(slot(a + 1u), slot(a + 2u));
            var value = 0u;
            if at != INVALID {
                value = atomic_on_resources(slot(a), at, slot(a + 3u));
            }
            put_result(a, value);
        }
        case HOST_BufferCompareExchange: {
            let at = in_buffer(slot(a), slot(a + 1u));
            var value = 0u;
            if at != INVALID {
                value = compare_exchange_resources(at, slot(a + 2u), slot(a + 3u));
            }
            put_result(a, value);
        }
        case HOST_QueuePop: {
            pop(a);
        }
        case HOST_QueuePush: {
            push(a);
        }
        case HOST_MemoryAtomic: {
            let at = slot(a + 1u);
            if !is_whole_word(at) {
                return;
            }
            put_result(a, atomic_on_memory(slot(a), at >> 2u, slot(a + 2u)));
        }
        case HOST_MemoryCompareExchange: {
            let at = slot(a);
            if !is_whole_word(at) {
                return;
            }
            put_result(a, compare_exchange_memory(at >> 2u, slot(a + 1u), slot(a + 2u)));
        }
        case HOST_Panic: {
            if !is_range(0u, slot(a), slot(a + 1u)) {
                fail(TRAP_OutOfBoundsMemory);
                return;
            }
            threads[own(H_WANTED)] = slot(a);
            threads[own(H_WANTED + 1u)] = slot(a + 1u);
            fail(TRAP_Panic);
            return;
        }
        default: {
            if !are_ranges_valid(which, a) {
                fail(TRAP_OutOfBoundsMemory);
                return;
            }
            queue_host_call(which, a);
        }
    }
    if !retry {
        pc += 1u;
    }
}

fn put_result(a: u32, value: u32) {
    if !retry {
        put(a, value);
    }
}

// The work queue: head, tail, whether it is closed; then the items, each stored plus 1, 0 for an
// empty entry.
fn pop(a: u32) {
    let head = atomicLoad(&resources[P.queue]);
    let tail = atomicLoad(&resources[P.queue + 1u]);
    retry = true;
    if head == tail {
        if atomicLoad(&resources[P.queue + 2u]) != 0u {
            retry = false;
            put(a, 0xffffffffu);
        } else {
            status = WAIT_WORK;
        }
        return;
    }
    let at = P.queue + 3u + head % P.queue_capacity;
    let item = atomicLoad(&resources[at]);
    if item != 0u && atomicCompareExchangeWeak(&resources[P.queue], head, head + 1u).exchanged {
        atomicStore(&resources[at], 0u);
        retry = false;
        put(a, item - 1u);
    }
}

fn push(a: u32) {
    let tail = atomicLoad(&resources[P.queue + 1u]);
    let head = atomicLoad(&resources[P.queue]);
    let item = slot(a);
    if tail - head >= P.queue_capacity || (item >> 31u) != 0u {
        put(a, 0u);
        return;
    }
    retry = true;
    let at = P.queue + 3u + tail % P.queue_capacity;
    if atomicLoad(&resources[at]) == 0u && atomicCompareExchangeWeak(&resources[P.queue + 1u], tail, tail + 1u).exchanged {
        atomicStore(&resources[at], item + 1u);
        retry = false;
        put(a, 1u);
    }
}

fn is_zero_ended(which: u32) -> bool {
    return which == HOST_ReadFileZ || which == HOST_WriteFileZ;
}

// Bytes of memory from an address to the end, at most the maximum length of a path.
fn bytes_from(at: u32) -> u32 {
    let pages = memory_pages(0u);
    // The end of the largest memory does not fit into a word.
    let last = (pages << 16u) - 1u;
    return min(last - at, MAX_PATH_BYTES) + 1u;
}

// Whether the memory ranges of a host call are in bounds.
fn are_ranges_valid(which: u32, a: u32) -> bool {
    switch which {
        case HOST_ReadFileZ, HOST_WriteFileZ: {
            return is_range(0u, slot(a), 1u) && is_range(0u, slot(a + 1u), slot(a + 2u));
        }
        case HOST_ReadFile, HOST_WriteFile: {
            return is_range(0u, slot(a), slot(a + 1u)) && is_range(0u, slot(a + 2u), slot(a + 3u));
        }
        default: {
            return is_range(0u, slot(a), slot(a + 1u));
        }
    }
}

const REQUEST_WORDS: u32 = 8u;

// Puts a host call into the ring and waits for the host. If the ring is full, it is retried later.
fn queue_host_call(which: u32, a: u32) {
    let i = atomicAdd(&report[REPORT_REQUESTS], 1u);
    if i >= P.ring {
        status = WAIT_RING;
        retry = true;
        return;
    }
    let at = REPORT_RING + i * REQUEST_WORDS;
    atomicStore(&report[at], thread);
    atomicStore(&report[at + 1u], which);
    atomicStore(&report[at + 2u], fp + a);
    atomicStore(&report[at + 3u], slot(a));
    atomicStore(&report[at + 4u], slot(a + 1u));
    atomicStore(&report[at + 5u], slot(a + 2u));
    atomicStore(&report[at + 6u], select(slot(a + 3u), bytes_from(slot(a)), is_zero_ended(which)));
    atomicStore(&report[at + 7u], number());
    status = WAIT_HOST;
}
