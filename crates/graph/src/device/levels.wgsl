// The pass between levels: what is launched.
// Before it come the `const`s of the tables (layout/rows.rs), `table`, which reads what never changes, and the
// declaration of faults; after it comes grids.wgsl. The launch kinds are those of model/launch.rs.

@group(0) @binding(0) var<storage, read_write> plan: array<u32>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;
@group(0) @binding(2) var<storage, read_write> aw_control: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> level: Level;

$LAUNCH_KINDS

// Invocations of a workgroup, and of the one that adds up all blocks.
const LANES: u32 = 64u;
const WIDTH: u32 = 256u;
const MAX_SIDE: u32 = 65535u;
// Where sums stop growing. A launch has at most AT_ONCE workgroups, which is far less: the record that
// has the last of them still has a right sum.
const LIMIT: u32 = 0x7fffffffu;

// A sum that never wraps around, whatever its order.
fn plus(a: u32, b: u32) -> u32 {
    return min(a + b, LIMIT);
}

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
    return min(atomicLoad(&aw_control[TAILS + queue]), table(queue_row(queue) + aw_queue_capacity));
}

// Records of its queue that a stage has not launched wholly.
fn left(stage: u32) -> u32 {
    let done = atomicLoad(&aw_control[counts_row(stage) + aw_counts_done]);
    return waiting(table(stage_row(stage) + aw_stage_queue)) - done;
}

// Whether the level waits: deeper down something was held back before the sweep, and goes first.
fn is_waiting() -> bool {
    return level.first_stage + level.stages <= atomicLoad(&aw_control[aw_header_deepest]);
}

// What a stage can launch now: records, or workgroups of broadcasting nodes.
fn pending(stage: u32) -> u32 {
    if is_waiting() {
        return 0u;
    }
    let row = stage_row(stage);
    let within = atomicLoad(&aw_control[counts_row(stage) + aw_counts_within]);
    switch table(row + aw_stage_kind) {
        case FIXED: {
            let groups = table(row + aw_stage_per_unit);
            return min(min(left(stage), AT_ONCE / groups + 1u) * groups - within, AT_ONCE);
        }
        case DYNAMIC_GRID: { return plan[table(row + aw_stage_launch) + aw_launch_total] - within; }
        default: { return min(left(stage), AT_ONCE); }
    }
}

// Where a stage is after it launched so much: records that are done, and workgroups of the next.
fn position(stage: u32, taken: u32) -> vec2<u32> {
    let row = stage_row(stage);
    let counts = counts_row(stage);
    let done = atomicLoad(&aw_control[counts + aw_counts_done]);
    let unit = atomicLoad(&aw_control[counts + aw_counts_within]) + taken;
    switch table(row + aw_stage_kind) {
        case FIXED: {
            let groups = table(row + aw_stage_per_unit);
            return vec2<u32>(done + unit / groups, unit % groups);
        }
        case DYNAMIC_GRID: {
            let launch = table(row + aw_stage_launch);
            let records = plan[launch + aw_launch_records];
            let is_all = plan[launch + aw_launch_is_all] != 0u;
            if unit == plan[launch + aw_launch_total] && is_all {
                return vec2<u32>(done + records, 0u);
            }
            return vec2<u32>(done, 0u) + find(stage, unit);
        }
        default: { return vec2<u32>(done + taken, 0u); }
    }
}

// When all readers of a queue are through with it, it begins anew.
fn retire(queue: u32) {
    let row = queue_row(queue);
    let first = table(row + aw_queue_first_reader);
    let end = first + table(row + aw_queue_readers);
    let records = waiting(queue);
    for (var i = first; i < end; i++) {
        if atomicLoad(&aw_control[counts_row(table(READERS + i)) + aw_counts_done]) != records {
            return;
        }
    }
    for (var i = first; i < end; i++) {
        let counts = counts_row(table(READERS + i));
        atomicStore(&aw_control[counts + aw_counts_done], 0u);
        add_wide(counts + aw_counts_records_in, records);
    }
    atomicStore(&aw_control[TAILS + queue], 0u);
}

// How many records a workgroup of a coalescing node gets: with a seed, any number up to its most.
fn records_per_group(stage: u32) -> u32 {
    let max_records = table(stage_row(stage) + aw_stage_per_unit);
    if level.seed == 0u {
        return max_records;
    }
    var hash = level.seed ^ (stage * 0x9e3779b9u) ^ (atomicLoad(&aw_control[aw_header_sweeps]) * 0x85ebca6bu);
    hash = (hash ^ (hash >> 16u)) * 0x7feb352du;
    hash = (hash ^ (hash >> 15u)) * 0x846ca68bu;
    return 1u + (hash ^ (hash >> 16u)) % max_records;
}

// Records of one launch: workgroups of coalescing nodes get several.
fn records_per_unit(stage: u32) -> u32 {
    if table(stage_row(stage) + aw_stage_kind) == COALESCING {
        return records_per_group(stage);
    }
    return 1u;
}

fn edge_row(stage: u32, index: u32) -> u32 {
    return EDGES + (table(stage_row(stage) + aw_stage_first_edge) + index) * aw_edge_words;
}

fn room_of(queue: u32) -> u32 {
    return table(queue_row(queue) + aw_queue_capacity) - waiting(queue);
}

const TOO_MUCH: u32 = 0x80000000u;

// Notes what a stage would like to send to a queue: the sum, as long as it can fit, and how many stages
// there are.
fn demand(stage: u32, edge: u32) {
    let queue = table(edge + aw_edge_queue);
    let per_unit = records_per_unit(stage);
    let units = (pending(stage) + per_unit - 1u) / per_unit;
    let max_records = table(edge + aw_edge_max_records);
    let max_sent = min(room_of(queue), 0xffffffffu / max(level.stages, 1u));
    atomicAdd(&aw_control[ACTIVE + queue], 1u);
    if units > max_sent / max_records {
        atomicOr(&aw_control[ACTIVE + queue], TOO_MUCH);
    } else {
        atomicAdd(&aw_control[DEMAND + queue], units * max_records);
    }
}

// The room that a stage may count on: all, if what everybody wants fits; otherwise an even part.
fn share_of(queue: u32) -> u32 {
    let room = room_of(queue);
    if level.is_contended == 0u {
        return room;
    }
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
    let block = table(row + aw_stage_launch);
    let kind = table(row + aw_stage_kind);
    let records_waiting = pending(stage);
    let per_unit = records_per_unit(stage);
    var units = (records_waiting + per_unit - 1u) / per_unit;
    for (var i = 0u; i < table(row + aw_stage_edges); i++) {
        let edge = edge_row(stage, i);
        let queue = table(edge + aw_edge_queue);
        units = min(units, share_of(queue) / table(edge + aw_edge_max_records));
    }
    let counts = counts_row(stage);
    let origin = atomicLoad(&aw_control[counts + aw_counts_done]);
    let first = atomicLoad(&aw_control[counts + aw_counts_within]);
    var next = vec2<u32>(origin, first);
    if !is_waiting() {
        next = position(stage, min(units * per_unit, records_waiting));
    }
    atomicStore(&aw_control[counts + aw_counts_done], next.x);
    atomicStore(&aw_control[counts + aw_counts_within], next.y);
    var groups = units;
    if kind == THREAD {
        groups = (units + THREAD_WORKGROUP - 1u) / THREAD_WORKGROUP;
    }
    let y = (groups + MAX_SIDE - 1u) / MAX_SIDE;
    var x = 0u;
    if y > 0u {
        x = (groups + y - 1u) / y;
    }
    // Records with an empty grid are done without a launch.
    if y > 0u || next.x > origin {
        atomicStore(&aw_control[aw_header_progress], 1u);
    }
    let count = waiting(table(row + aw_stage_queue));
    plan[block + aw_launch_x] = x;
    plan[block + aw_launch_y] = y;
    plan[block + aw_launch_z] = min(y, 1u);
    plan[block + aw_launch_origin] = origin;
    plan[block + aw_launch_first] = first;
    plan[block + aw_launch_units] = units;
    plan[block + aw_launch_end] = next.x;
    plan[block + aw_launch_per_unit] = per_unit;
    plan[block + aw_launch_left] = count - next.x;

    add_wide(counts + aw_counts_groups, groups);
    atomicMax(&aw_control[counts + aw_counts_max_waiting], count);
}

// One workgroup retires the queues of the level before and launches this one. Others help workgroups to
// find their records.
@compute @workgroup_size(LANES)
fn admit(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) me: u32) {
    if group.x > 0u {
        let stage = table(DYNAMIC + level.first_dynamic + group.y);
        write_begins(stage, group.x - 1u, me, LANES);
        fill_guide(stage, group.x - 1u, me, LANES);
        return;
    }
    if group.y > 0u {
        return;
    }
    for (var i = me; i < level.retired; i += LANES) {
        retire(level.first_retired + i);
    }
    if level.is_contended != 0u {
        for (var queue = me; queue < QUEUE_COUNT; queue += LANES) {
            atomicStore(&aw_control[ACTIVE + queue], 0u);
            atomicStore(&aw_control[DEMAND + queue], 0u);
        }
        storageBarrier();
        for (var i = me; i < level.stages; i += LANES) {
            let stage = level.first_stage + i;
            if pending(stage) > 0u {
                for (var k = 0u; k < table(stage_row(stage) + aw_stage_edges); k++) {
                    demand(stage, edge_row(stage, k));
                }
            }
        }
    }
    storageBarrier();
    for (var i = me; i < level.stages; i += LANES) {
        launch(level.first_stage + i);
    }
}

// One workgroup, before each sweep but the first: what the deepest level has emptied begins anew, and the
// deepest stage is found that has work left.
@compute @workgroup_size(LANES)
fn reset_queues(@builtin(local_invocation_index) me: u32) {
    if me == 0u {
        // Submissions may have sweeps that found nothing to do.
        atomicAdd(&aw_control[aw_header_sweeps], atomicExchange(&aw_control[aw_header_progress], 0u));
        atomicStore(&aw_control[aw_header_deepest], 0u);
    }
    for (var i = me; i < level.retired; i += LANES) {
        retire(level.first_retired + i);
    }
    storageBarrier();
    for (var stage = me; stage < STAGE_COUNT; stage += LANES) {
        if left(stage) > 0u {
            atomicMax(&aw_control[aw_header_deepest], stage);
        }
    }
}
