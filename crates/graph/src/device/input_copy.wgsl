// records are copied from a buffer of inputs into the queues of entries.
// In front of it stand the `const`s of layout.rs. The plan is only read: it also has the arguments of
// this dispatch.

@group(0) @binding(0) var<storage, read> plan: array<u32>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;
@group(0) @binding(3) var<uniform> input_pass: InputPass;
@group(1) @binding(1) var<storage, read> records: array<u32>;

const COPY_WIDTH: u32 = 64u;

fn descriptor(input: u32, member: u32) -> u32 {
    return plan[DESCRIPTORS + input * aw_descriptor_words + member];
}

// The input to which the `index`th record of the sweep belongs: the last that begins at or before it.
fn input_of(index: u32) -> u32 {
    var low = 0u;
    var high = input_pass.cap;
    while low + 1u < high {
        let middle = (low + high) / 2u;
        if plan[INPUT_SLICE + middle * aw_input_slice_words + aw_input_slice_before] <= index {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// One invocation for each record. Runs once for every buffer of inputs; the others' are left alone.
@compute @workgroup_size(COPY_WIDTH)
fn copy_inputs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) me: u32) {
    let index = (group.y * plan[INPUT_LAUNCH + aw_launch_x] + group.x) * COPY_WIDTH + me;
    if index >= plan[INPUT_LAUNCH + aw_launch_units] {
        return;
    }
    let input = input_of(index);
    if descriptor(input, aw_descriptor_buffer) != input_pass.buffer {
        return;
    }
    let slice = INPUT_SLICE + input * aw_input_slice_words;
    let within = index - plan[slice + aw_input_slice_before];
    let entry = ENTRIES + descriptor(input, aw_descriptor_entry) * aw_entry_words;
    let queue = QUEUES + plan[entry + aw_entry_queue] * aw_queue_words;
    let words = plan[entry + aw_entry_words_of_record];
    let record = plan[slice + aw_input_slice_from] + within;
    let source = (descriptor(input, aw_descriptor_offset) + record * descriptor(input, aw_descriptor_stride)) / 4u;
    let to = plan[queue + aw_queue_base] + (plan[slice + aw_input_slice_first] + within) * plan[queue + aw_queue_stride];
    for (var word = 0u; word < words; word++) {
        arena[to + word] = records[source + word];
    }
    if plan[entry + aw_entry_tracked] != 0u {
        arena[to + words] = 0u;
    }
}
