// What a recorded run begins with, from a buffer that keeps it.

@group(0) @binding(1) var<storage, read_write> arena: array<u32>;
@group(0) @binding(2) var<storage, read_write> aw_control: array<u32>;
// How many workgroups stand side by side, how many words `control` has, how many parts there are; of each
// where it goes among the records and how many words it has; then the words of `control`.
@group(1) @binding(0) var<storage, read> head: array<u32>;
// The words of all parts. They may be as many as a binding has.
@group(1) @binding(1) var<storage, read> records: array<u32>;

const WIDTH: u32 = 64u;

@compute @workgroup_size(WIDTH)
fn begin(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) me: u32) {
    let index = (group.y * head[0] + group.x) * WIDTH + me;
    let parts = head[2];
    if index < head[1] {
        aw_control[index] = head[3u + 2u * parts + index];
        return;
    }
    let word = index - head[1];
    var rest = word;
    for (var i = 0u; i < parts; i++) {
        let words = head[4u + 2u * i];
        if rest < words {
            arena[head[3u + 2u * i] + rest] = records[word];
            return;
        }
        rest -= words;
    }
}
