// The buffers, and the private variables of a running thread. Word i of thread t is at i * count +
// t, so that accesses of neighbouring threads are coalesced.

@group(0) @binding(0) var<uniform> P: Params;
@group(0) @binding(1) var<storage, read> program: array<u32>;
@group(0) @binding(2) var<storage, read_write> threads: array<u32>;
// Resources of the launch: state, input, picture, buffers, workgroup memory, the queue.
@group(0) @binding(4) var<storage, read_write> resources: array<atomic<u32>>;
// The report that the host reads between slices: counts of statuses, then the host call ring.
@group(0) @binding(5) var<storage, read_write> report: array<atomic<u32>>;
// Staging buffer for transfers between the host and memories.
@group(0) @binding(6) var<storage, read_write> transfer: array<u32>;

const READY: u32 = 0u;
const DONE: u32 = 1u;
const TRAPPED: u32 = 2u;
const WAIT_BARRIER: u32 = 3u;
const WAIT_HOST: u32 = 4u;
const WAIT_WORK: u32 = 5u;
const WAIT_RING: u32 = 6u;
const WAIT_MEMORY: u32 = 7u;
const ABSENT: u32 = 8u;

// Word indices in a thread's header.
const H_PC: u32 = 0u;
const H_FP: u32 = 1u;
const H_STATUS: u32 = 2u;
const H_TRAP: u32 = 3u;
const H_WORD: u32 = 4u;
const H_FUEL: u32 = 5u;
const H_RUN: u32 = 7u;
const H_WANTED: u32 = 9u;

var<private> thread: u32;
var<private> pc: u32;
var<private> fp: u32;
var<private> frame: u32;
var<private> status: u32;
var<private> instruction: u32;
var<private> steps: u32;
var<private> spent: u32;
// Whether the host call has to be retried.
var<private> retry: bool;

fn own(word: u32) -> u32 {
    return word * P.count + thread;
}

fn enter(position: u32) {
    fp = position;
    frame = own(P.stack + position);
}

fn slot(n: u32) -> u32 {
    return threads[frame + n * P.count];
}

fn slot2(n: u32) -> vec2<u32> {
    let i = frame + n * P.count;
    return vec2<u32>(threads[i], threads[i + P.count]);
}

fn put(n: u32, value: u32) {
    threads[frame + n * P.count] = value;
}

fn put2(n: u32, value: vec2<u32>) {
    let i = frame + n * P.count;
    threads[i] = value.x;
    threads[i + P.count] = value.y;
}

// Traps at the current instruction.
fn fail(code: u32) {
    status = TRAPPED;
    threads[own(H_TRAP)] = code;
    threads[own(H_WORD)] = pc;
}
