// What a recorded run begins with, from a buffer that keeps it.

@group(0) @binding(0) var<storage, read_write> plan: array<u32>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;
@group(0) @binding(2) var<storage, read_write> aw_control: array<u32>;
// How many parts there are, and each: its target, where it goes there, and how many words it has.
@group(1) @binding(0) var<storage, read> parts: array<u32>;
// The words of all parts, one after the other.
@group(1) @binding(1) var<storage, read> image: array<u32>;

const WIDTH: u32 = 64u;

@compute @workgroup_size(WIDTH)
fn begin(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) me: u32,
) {
    let index = (group.y * groups.x + group.x) * WIDTH + me;
    var rest = index;
    for (var i = 0u; i < parts[0]; i++) {
        let words = parts[3u + 3u * i];
        if rest < words {
            let place = parts[2u + 3u * i] + rest;
            switch parts[1u + 3u * i] {
                case 0u: { aw_control[place] = image[index]; }
                case 1u: { arena[place] = image[index]; }
                default: { plan[place] = image[index]; }
            }
            return;
        }
        rest -= words;
    }
}
