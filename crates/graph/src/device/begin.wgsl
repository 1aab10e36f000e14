// What a recorded run begins with, from a buffer that keeps it.

@group(0) @binding(1) var<storage, read_write> arena: array<u32>;
@group(0) @binding(2) var<storage, read_write> aw_control: array<u32>;
// How many workgroups stand side by side, how many words `control` has, how many parts there are behind
// it, and of each where it goes among the records and how many words it has.
@group(1) @binding(0) var<storage, read> parts: array<u32>;
// The words of `control`, then those of all parts.
@group(1) @binding(1) var<storage, read> image: array<u32>;

const WIDTH: u32 = 64u;

@compute @workgroup_size(WIDTH)
fn begin(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) me: u32) {
    let index = (group.y * parts[0] + group.x) * WIDTH + me;
    if index < parts[1] {
        aw_control[index] = image[index];
        return;
    }
    var rest = index - parts[1];
    for (var i = 0u; i < parts[2]; i++) {
        let words = parts[4u + 2u * i];
        if rest < words {
            arena[parts[3u + 2u * i] + rest] = image[index];
            return;
        }
        rest -= words;
    }
}
