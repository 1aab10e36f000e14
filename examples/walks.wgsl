// Random walks, many in parallel and each in parallel: where a walk is after n steps is a prefix sum, which the
// invocations of a workgroup compute together, first in their subgroups and then across them.
//
//   cargo run --release -- run examples/walks.wgsl --workgroups 512 --out walks=walks.png:512x512:heat
//
// Each row of the picture is a walk of 512 steps. The sizes of subgroups differ between devices, but the sums do not.

enable subgroups;

const STEPS = 512u;

@group(0) @binding(0) var<storage, read_write> walks: array<i32>;

// The sums of the subgroups; the smallest subgroups have 4 invocations.
var<workgroup> totals: array<i32, STEPS / 4u>;

// A step up or down (the PCG hash of Jarzynski and Olano 2020).
fn step(seed: u32) -> i32 {
    let state = seed * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return select(-1, 1, (((word >> 22u) ^ word) & 1u) == 1u);
}

@compute @workgroup_size(STEPS)
fn walk(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let own = step(id.x);
    var sum = subgroupInclusiveAdd(own);
    if lane == size - 1u {
        totals[subgroup] = sum;
    }
    workgroupBarrier();
    for (var earlier = 0u; earlier < subgroup; earlier++) {
        sum += totals[earlier];
    }
    walks[id.x] = sum;
}
