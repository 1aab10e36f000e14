// The passes between levels: prefix sums of dynamic grids, and admission.
// In front of it stand the `const`s of layout.rs and the declaration of faults.

@group(0) @binding(0) var<storage, read_write> plan: array<u32>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;
@group(0) @binding(2) var<storage, read_write> aw_control: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> level: Level;

const THREAD: u32 = 0u;
const COALESCING: u32 = 1u;
const FIXED: u32 = 2u;
const DYNAMIC_GRID: u32 = 3u;

// Invocations of a scan, and of the passes that go over stages and queues.
const WIDTH: u32 = 256u;
const LANES: u32 = 64u;
const MAX_SIDE: u32 = 65535u;

fn stage_row(stage: u32) -> u32 {
    return STAGES + stage * aw_stage_words;
}

fn queue_row(queue: u32) -> u32 {
    return QUEUES + queue * aw_queue_words;
}

fn counts_row(stage: u32) -> u32 {
    return COUNTS + stage * aw_counts_words;
}

// Records in a queue.
fn waiting(queue: u32) -> u32 {
    return min(atomicLoad(&aw_control[TAILS + queue]), plan[queue_row(queue) + aw_queue_capacity]);
}

// A field of 16 or 32 bits.
fn read_side(base: u32, offset: u32, bits: u32) -> u32 {
    let word = arena[base + offset / 4u];
    if bits == 16u {
        return (word >> (8u * (offset % 4u))) & 0xffffu;
    }
    return word;
}

struct Sides {
    x: u32,
    y: u32,
    groups: u32,
}

// The grid of a record. One that is too large is a fault and launches nothing.
fn read_grid(stage: u32, record: u32) -> Sides {
    let row = stage_row(stage);
    let queue = queue_row(plan[row + aw_stage_queue]);
    let base = plan[queue + aw_queue_base] + record * plan[queue + aw_queue_stride];
    let offset = plan[row + aw_stage_grid_offset];
    let bits = plan[row + aw_stage_grid_format] / 4u;
    let components = plan[row + aw_stage_grid_format] % 4u;
    var sides = vec3<u32>(1u);
    for (var i = 0u; i < components; i++) {
        sides[i] = read_side(base, offset + i * bits / 8u, bits);
    }
    for (var i = 0u; i < 3u; i++) {
        let most = plan[row + aw_stage_max_x + i];
        if sides[i] > most {
            aw_report(aw_rule_grid, stage, record, i, sides[i], most);
            return Sides(0u, 0u, 0u);
        }
    }
    return Sides(sides.x, sides.y, sides.x * sides.y * sides.z);
}

var<workgroup> shared_count: u32;
var<workgroup> sums: array<u32, WIDTH>;

// The sum of all invocations up to this one. Uniform control flow.
fn sum_up_to(me: u32, value: u32) -> u32 {
    sums[me] = value;
    workgroupBarrier();
    for (var step = 1u; step < WIDTH; step *= 2u) {
        var before = 0u;
        if me >= step {
            before = sums[me - step];
        }
        workgroupBarrier();
        sums[me] += before;
        workgroupBarrier();
    }
    let result = sums[me];
    workgroupBarrier();
    return result;
}

fn blocks_of(stage: u32) -> u32 {
    return (plan[queue_row(plan[stage_row(stage) + aw_stage_queue]) + aw_queue_capacity] + SCAN_BLOCK - 1u) / SCAN_BLOCK;
}

// Sums within blocks: workgroups take the blocks of a stage in turns.
@compute @workgroup_size(WIDTH)
fn scan_records(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) me: u32) {
    let stage = plan[DYNAMIC + level.first_dynamic + group.y];
    let scan = plan[stage_row(stage) + aw_stage_scan];
    if me == 0u {
        shared_count = waiting(plan[stage_row(stage) + aw_stage_queue]);
    }
    let count = workgroupUniformLoad(&shared_count);
    let prefix = scan + blocks_of(stage);
    let each = SCAN_BLOCK / WIDTH;
    for (var block = group.x; block * SCAN_BLOCK < count; block += level.scan_groups) {
        let first = block * SCAN_BLOCK + me * each;
        var mine = 0u;
        for (var record = first; record < min(first + each, count); record++) {
            let grid = read_grid(stage, record);
            mine += grid.groups;
            plan[prefix + 2u * record] = mine;
            plan[prefix + 2u * record + 1u] = grid.x | (grid.y << 16u);
        }
        let end = sum_up_to(me, mine);
        for (var record = first; record < min(first + each, count); record++) {
            plan[prefix + 2u * record] += end - mine;
        }
        if me == WIDTH - 1u {
            plan[scan + block] = end;
        }
    }
}

// Sums over blocks: one workgroup for each stage with a dynamic grid.
@compute @workgroup_size(WIDTH)
fn scan_blocks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) me: u32) {
    let stage = plan[DYNAMIC + level.first_dynamic + group.x];
    let scan = plan[stage_row(stage) + aw_stage_scan];
    if me == 0u {
        shared_count = waiting(plan[stage_row(stage) + aw_stage_queue]);
    }
    let blocks = (workgroupUniformLoad(&shared_count) + SCAN_BLOCK - 1u) / SCAN_BLOCK;
    let each = (blocks + WIDTH - 1u) / WIDTH;
    let first = me * each;
    var mine = 0u;
    for (var block = first; block < min(first + each, blocks); block++) {
        mine += plan[scan + block];
    }
    let end = sum_up_to(me, mine);
    var before = end - mine;
    for (var block = first; block < min(first + each, blocks); block++) {
        let sum = plan[scan + block];
        plan[scan + block] = before;
        before += sum;
    }
    if me == WIDTH - 1u {
        let launch = plan[stage_row(stage) + aw_stage_launch];
        plan[launch + aw_launch_total] = end;
        plan[launch + aw_launch_blocks] = blocks;
        plan[launch + aw_launch_records] = shared_count;
    }
}

// What a stage has still to launch: records, or workgroups of broadcasting nodes.
fn pending(stage: u32) -> u32 {
    let row = stage_row(stage);
    let count = waiting(plan[row + aw_stage_queue]);
    let cursor = atomicLoad(&aw_control[counts_row(stage) + aw_counts_cursor]);
    switch plan[row + aw_stage_kind] {
        case FIXED: { return count * plan[row + aw_stage_per_unit] - cursor; }
        case DYNAMIC_GRID: { return plan[plan[row + aw_stage_launch] + aw_launch_total] - cursor; }
        default: { return count - cursor; }
    }
}

// When all readers of a queue are through with it, it begins anew.
fn retire(queue: u32) {
    let row = queue_row(queue);
    let first = plan[row + aw_queue_first_reader];
    let end = first + plan[row + aw_queue_readers];
    for (var i = first; i < end; i++) {
        if plan[plan[stage_row(plan[READERS + i]) + aw_stage_launch] + aw_launch_left] != 0u {
            return;
        }
    }
    let records = waiting(queue);
    for (var i = first; i < end; i++) {
        let counts = counts_row(plan[READERS + i]);
        atomicStore(&aw_control[counts + aw_counts_cursor], 0u);
        add_wide(counts + aw_counts_records_in, records);
    }
    atomicStore(&aw_control[TAILS + queue], 0u);
}

// How many records a workgroup of a coalescing node gets: with a seed, any number up to its most.
fn records_per_group(stage: u32) -> u32 {
    let most = plan[stage_row(stage) + aw_stage_per_unit];
    if level.seed == 0u {
        return most;
    }
    var hash = level.seed ^ (stage * 0x9e3779b9u) ^ (atomicLoad(&aw_control[aw_header_sweeps]) * 0x85ebca6bu);
    hash = (hash ^ (hash >> 16u)) * 0x7feb352du;
    hash = (hash ^ (hash >> 15u)) * 0x846ca68bu;
    return 1u + (hash ^ (hash >> 16u)) % most;
}

// Records of one launch: workgroups of coalescing nodes get several.
fn records_per_unit(stage: u32) -> u32 {
    if plan[stage_row(stage) + aw_stage_kind] == COALESCING {
        return records_per_group(stage);
    }
    return 1u;
}

fn edge_row(stage: u32, index: u32) -> u32 {
    return EDGES + (plan[stage_row(stage) + aw_stage_first_edge] + index) * aw_edge_words;
}

fn room_of(queue: u32) -> u32 {
    return plan[queue_row(queue) + aw_queue_capacity] - waiting(queue);
}

const TOO_MUCH: u32 = 0x80000000u;

// Notes what a stage would like to send to a queue: the sum, as long as it can fit, and how many stages
// there are.
fn demand(stage: u32, edge: u32) {
    let queue = plan[edge + aw_edge_queue];
    let per_unit = records_per_unit(stage);
    let units = (pending(stage) + per_unit - 1u) / per_unit;
    let worst = plan[edge + aw_edge_worst];
    let most = min(room_of(queue), 0xffffffffu / max(level.stages, 1u));
    atomicAdd(&aw_control[ACTIVE + queue], 1u);
    if units > most / worst {
        atomicOr(&aw_control[ACTIVE + queue], TOO_MUCH);
    } else {
        atomicAdd(&aw_control[DEMAND + queue], units * worst);
    }
}

// The room that a stage may count on: all, if what everybody wants fits; otherwise an even part.
fn share_of(queue: u32) -> u32 {
    let room = room_of(queue);
    let wanting = atomicLoad(&aw_control[ACTIVE + queue]);
    if (wanting & TOO_MUCH) == 0u && atomicLoad(&aw_control[DEMAND + queue]) <= room {
        return room;
    }
    return room / max(wanting & ~TOO_MUCH, 1u);
}

fn add_wide(low: u32, value: u32) {
    let before = atomicAdd(&aw_control[low], value);
    if before + value < before {
        atomicAdd(&aw_control[low + 1u], 1u);
    }
}

// Launches as much of a stage as is sure to fit where it sends records.
fn launch(stage: u32) {
    let row = stage_row(stage);
    let block = plan[row + aw_stage_launch];
    let kind = plan[row + aw_stage_kind];
    let left = pending(stage);
    let per_unit = records_per_unit(stage);
    var units = (left + per_unit - 1u) / per_unit;
    for (var i = 0u; i < plan[row + aw_stage_edges]; i++) {
        let edge = edge_row(stage, i);
        let queue = plan[edge + aw_edge_queue];
        units = min(units, share_of(queue) / plan[edge + aw_edge_worst]);
    }
    let counts = counts_row(stage);
    let first = atomicLoad(&aw_control[counts + aw_counts_cursor]);
    let taken = min(units * per_unit, left);
    atomicStore(&aw_control[counts + aw_counts_cursor], first + taken);
    var groups = units;
    if kind == THREAD {
        groups = (units + THREAD_WORKGROUP - 1u) / THREAD_WORKGROUP;
    }
    let y = (groups + MAX_SIDE - 1u) / MAX_SIDE;
    var x = 0u;
    if y > 0u {
        x = (groups + y - 1u) / y;
        atomicStore(&aw_control[aw_header_progress], 1u);
    }
    plan[block + aw_launch_x] = x;
    plan[block + aw_launch_y] = y;
    plan[block + aw_launch_z] = min(y, 1u);
    plan[block + aw_launch_first] = first;
    plan[block + aw_launch_units] = units;
    plan[block + aw_launch_end] = first + taken;
    plan[block + aw_launch_per_unit] = per_unit;
    plan[block + aw_launch_left] = left - taken;

    add_wide(counts + aw_counts_groups, groups);
    atomicMax(&aw_control[counts + aw_counts_most], waiting(plan[row + aw_stage_queue]));
}

// One workgroup. Retires the queues of the level before and launches this one.
@compute @workgroup_size(LANES)
fn admit(@builtin(local_invocation_index) me: u32) {
    for (var i = me; i < level.retired; i += LANES) {
        retire(level.first_retired + i);
    }
    for (var queue = me; queue < QUEUE_COUNT; queue += LANES) {
        atomicStore(&aw_control[ACTIVE + queue], 0u);
        atomicStore(&aw_control[DEMAND + queue], 0u);
    }
    storageBarrier();
    for (var i = me; i < level.stages; i += LANES) {
        let stage = level.first_stage + i;
        if pending(stage) > 0u {
            for (var k = 0u; k < plan[stage_row(stage) + aw_stage_edges]; k++) {
                demand(stage, edge_row(stage, k));
            }
        }
    }
    storageBarrier();
    for (var i = me; i < level.stages; i += LANES) {
        launch(level.first_stage + i);
    }
}

// One workgroup, after the last level: is anything left?
@compute @workgroup_size(LANES)
fn settle(@builtin(local_invocation_index) me: u32) {
    if me == 0u {
        atomicStore(&aw_control[aw_header_held], atomicLoad(&aw_control[aw_header_feed_left]));
        // Submissions may end with sweeps that found nothing left to do.
        let sweeps = atomicLoad(&aw_control[aw_header_sweeps]);
        if sweeps == 0u || atomicLoad(&aw_control[aw_header_progress]) != 0u {
            atomicStore(&aw_control[aw_header_sweeps], sweeps + 1u);
        }
    }
    for (var i = me; i < level.retired; i += LANES) {
        retire(level.first_retired + i);
    }
    storageBarrier();
    for (var queue = me; queue < QUEUE_COUNT; queue += LANES) {
        if atomicLoad(&aw_control[TAILS + queue]) != 0u {
            atomicStore(&aw_control[aw_header_held], 1u);
        }
    }
    storageBarrier();
    let is_held = atomicLoad(&aw_control[aw_header_held]) != 0u;
    // The next sweep would find all as this one did.
    if me == 0u && is_held && atomicLoad(&aw_control[aw_header_progress]) == 0u {
        atomicStore(&aw_control[aw_header_stuck], 1u);
    }
}
