// Random walks: where a walk is after n steps is a prefix sum, which the invocations of a workgroup compute together, first
// in their subgroups and then across them.
//
//   cargo run --release -- run examples/gallery/walks.wgsl --workgroups 48 --out walks=walks.bin --out picture=walks.png:512x320:heat
//
// The picture shows the steps from left to right, up and down, each walk in a colour of its own. The sizes of subgroups
// differ between devices, but the sums do not.

enable subgroups;

const STEPS = 512u;
const HEIGHT = 320;

// Place after each step, walk by walk.
@group(0) @binding(0) var<storage, read_write> walks: array<i32>;
@group(0) @binding(1) var<storage, read_write> picture: array<atomic<u32>>;

// The sums of the subgroups; the smallest subgroups have 4 invocations.
var<workgroup> totals: array<i32, STEPS / 4u>;

// 1 or -1 (the PCG hash of Jarzynski and Olano 2020).
fn step(seed: u32) -> i32 {
    let state = seed * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return select(-1, 1, (((word >> 22u) ^ word) & 1u) == 1u);
}

@compute @workgroup_size(STEPS)
fn walk(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(workgroup_id) workgroup: vec3u,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    var sum = subgroupInclusiveAdd(step(id.x));
    if lane == size - 1u {
        totals[subgroup] = sum;
    }
    workgroupBarrier();
    for (var earlier = 0u; earlier < subgroup; earlier++) {
        sum += totals[earlier];
    }
    walks[id.x] = sum;

    // A step is two pixels high. Where walks meet, the later one is seen on every device.
    let y = HEIGHT / 2 - 2 * sum;
    for (var row = clamp(y - 1, 0, HEIGHT - 1); row <= clamp(y + 1, 0, HEIGHT - 1); row++) {
        atomicMax(&picture[u32(row) * STEPS + local], workgroup.x + 8u);
    }
}
