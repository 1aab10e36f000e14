// Admission of inputs: inputs are copied into the queues of entries, as much as fits.
// In front of it stand the `const`s of layout.rs and the declaration of faults.

@group(0) @binding(0) var<storage, read_write> plan: array<u32>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;
@group(0) @binding(2) var<storage, read_write> aw_control: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> input_pass: InputPass;
@group(1) @binding(0) var<storage, read> descriptors: array<u32>;

const WIDTH: u32 = 64u;
const COPY_WIDTH: u32 = 64u;
const MAX_SIDE: u32 = 65535u;

// What an input is, as it was when the run began.
fn descriptor(input: u32, member: u32) -> u32 {
    return plan[DESCRIPTORS + input * aw_descriptor_words + member];
}

// Keeps the descriptor of an input: nodes may write the user's, and copying may take several sweeps.
fn keep(input: u32) {
    for (var i = input * aw_descriptor_words; i < (input + 1u) * aw_descriptor_words; i++) {
        plan[DESCRIPTORS + i] = descriptors[input_pass.first + i];
    }
}

// How many inputs there are: one, or what the device has counted, in the first sweep.
fn inputs(is_first: bool) -> u32 {
    if input_pass.counted == 0u {
        return input_pass.cap;
    }
    if is_first {
        return descriptors[input_pass.first - 1u];
    }
    return plan[INPUT_LAUNCH + aw_launch_records];
}

fn has_words(input: u32) -> bool {
    let entry = ENTRIES + descriptor(input, aw_descriptor_entry) * aw_entry_words;
    return plan[entry + aw_entry_words_of_record] > 0u;
}

// Whether an input can be read; reports why not, once.
fn is_sound(input: u32) -> bool {
    let entry = descriptor(input, aw_descriptor_entry);
    if entry >= ENTRY_COUNT {
        aw_report(aw_rule_input_entry, aw_none, input, aw_none, entry, ENTRY_COUNT);
        return false;
    }
    let bytes = 4u * plan[ENTRIES + entry * aw_entry_words + aw_entry_words_of_record];
    let count = descriptor(input, aw_descriptor_count);
    if bytes == 0u || count == 0u {
        return true;
    }
    let buffer = descriptor(input, aw_descriptor_buffer);
    if buffer >= input_pass.buffers {
        aw_report(aw_rule_input_buffer, aw_none, input, aw_none, buffer, input_pass.buffers);
        return false;
    }
    let offset = descriptor(input, aw_descriptor_offset);
    let stride = descriptor(input, aw_descriptor_stride);
    if offset % 4u != 0u || stride % 4u != 0u || (stride != 0u && stride < bytes) {
        aw_report(aw_rule_input_stride, aw_none, input, aw_none, stride, bytes);
        return false;
    }
    let size = plan[INPUT_SIZES + buffer];
    let is_in = bytes <= size && offset <= size - bytes;
    if !is_in || (stride != 0u && count - 1u > (size - bytes - offset) / stride) {
        aw_report(aw_rule_input_range, aw_none, input, aw_none, count, size);
        return false;
    }
    return true;
}

// Takes room in an entry's queue for as many of an input's records as there is; their first place. While
// any level but the first has work left, inputs wait.
fn take(input: u32, cursor: u32) -> vec2<u32> {
    if FIRST_STAGES <= atomicLoad(&aw_control[aw_header_deepest]) {
        return vec2<u32>(0u, 0u);
    }
    let entry = ENTRIES + descriptor(input, aw_descriptor_entry) * aw_entry_words;
    let queue = plan[entry + aw_entry_queue];
    let capacity = plan[QUEUES + queue * aw_queue_words + aw_queue_capacity];
    let wanted = descriptor(input, aw_descriptor_count) - cursor;
    var tail = atomicLoad(&aw_control[TAILS + queue]);
    var count = min(wanted, capacity - min(tail, capacity));
    while count > 0u {
        let exchanged = atomicCompareExchangeWeak(&aw_control[TAILS + queue], tail, tail + count);
        if exchanged.exchanged {
            break;
        }
        tail = exchanged.old_value;
        count = min(wanted, capacity - min(tail, capacity));
    }
    return vec2<u32>(tail, count);
}

var<workgroup> sums: array<u32, WIDTH>;

// One workgroup: what of each input is copied in this sweep.
@compute @workgroup_size(WIDTH)
fn admit_inputs(@builtin(local_invocation_index) me: u32) {
    let is_first = atomicLoad(&aw_control[aw_header_sweeps]) == 0u;
    var total = inputs(is_first);
    if total > input_pass.cap {
        if me == 0u && is_first {
            aw_report(aw_rule_input_cap, aw_none, aw_none, aw_none, total, input_pass.cap);
        }
        total = input_pass.cap;
    }
    if me == 0u {
        atomicStore(&aw_control[aw_header_inputs_left], 0u);
    }
    storageBarrier();
    let each = (input_pass.cap + WIDTH - 1u) / WIDTH;
    let first = me * each;
    let end = min(first + each, input_pass.cap);
    var mine = 0u;
    for (var input = first; input < end; input++) {
        let slice = INPUT_SLICE + input * aw_input_slice_words;
        let at = INPUT_CURSORS + input;
        let cursor = atomicLoad(&aw_control[at]);
        var taken = vec2<u32>(0u, 0u);
        // A cursor at the end of numbers marks an input that cannot be read.
        if input < total && is_first {
            keep(input);
        }
        if input < total && cursor != aw_none {
            if cursor > 0u || is_sound(input) {
                taken = take(input, cursor);
                if taken.y > 0u {
                    atomicStore(&aw_control[aw_header_progress], 1u);
                }
                atomicStore(&aw_control[at], cursor + taken.y);
                if cursor + taken.y < descriptor(input, aw_descriptor_count) {
                    atomicStore(&aw_control[aw_header_inputs_left], 1u);
                }
            } else {
                atomicStore(&aw_control[at], aw_none);
            }
        }
        plan[slice + aw_input_slice_first] = taken.x;
        plan[slice + aw_input_slice_count] = taken.y;
        plan[slice + aw_input_slice_from] = cursor;
        plan[slice + aw_input_slice_before] = mine;
        // Empty records are only counted, and their number may be so large that the sum would wrap around.
        if taken.y > 0u && has_words(input) {
            mine += taken.y;
        }
    }
    sums[me] = mine;
    workgroupBarrier();
    var before = 0u;
    for (var other = 0u; other < me; other++) {
        before += sums[other];
    }
    for (var input = first; input < end; input++) {
        plan[INPUT_SLICE + input * aw_input_slice_words + aw_input_slice_before] += before;
    }
    // The others have read it: there was a barrier.
    if me == WIDTH - 1u {
        plan[INPUT_LAUNCH + aw_launch_records] = total;
        let all = before + mine;
        let groups = (all + COPY_WIDTH - 1u) / COPY_WIDTH;
        let y = (groups + MAX_SIDE - 1u) / MAX_SIDE;
        var x = 0u;
        if y > 0u {
            x = (groups + y - 1u) / y;
        }
        plan[INPUT_LAUNCH + aw_launch_x] = x;
        plan[INPUT_LAUNCH + aw_launch_y] = y;
        plan[INPUT_LAUNCH + aw_launch_z] = min(y, 1u);
        plan[INPUT_LAUNCH + aw_launch_units] = all;
    }
}
