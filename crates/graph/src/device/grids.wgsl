// Dynamic grids: how many workgroups the records of a queue ask for, and which belong to which record.
// It is appended to levels.wgsl.
//
// Records are taken in blocks. scan_records adds up within blocks and scan_blocks over them; then, beside
// the admission, each record learns its first workgroup, and each workgroup, or one of every group of them, its record.
// Where there cannot be many records, admit_few does all of it.

// scan_few has a record of a block for each invocation, of which `sums` has a word; scan_records gives
// each invocation as many records.
const_assert aw_scan_block == WIDTH;
const_assert aw_scan_block % LANES == 0u;

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
    let queue = queue_row(table(row + aw_stage_queue));
    let base = table(queue + aw_queue_base) + record * table(queue + aw_queue_stride);
    let offset = table(row + aw_stage_grid_offset);
    let bits = table(row + aw_stage_grid_format) / 4u;
    let components = table(row + aw_stage_grid_format) % 4u;
    var sides = vec3<u32>(1u);
    for (var i = 0u; i < components; i++) {
        sides[i] = read_side(base, offset + i * bits / 8u, bits);
    }
    for (var i = 0u; i < 3u; i++) {
        let max_side = table(row + aw_stage_max_x + i);
        if sides[i] > max_side {
            aw_report(aw_rule_grid, stage, record, i, sides[i], max_side);
            return Sides(0u, 0u, 0u);
        }
    }
    return Sides(sides.x, sides.y, sides.x * sides.y * sides.z);
}

var<workgroup> shared_count: u32;
var<workgroup> sums: array<u32, WIDTH>;

// The sum of all invocations before this one. Uniform control flow.
fn sum_before(me: u32, width: u32, value: u32) -> u32 {
    sums[me] = value;
    workgroupBarrier();
    for (var step = 1u; step < width; step *= 2u) {
        var before = 0u;
        if me >= step {
            before = sums[me - step];
        }
        workgroupBarrier();
        sums[me] = plus(sums[me], before);
        workgroupBarrier();
    }
    var result = 0u;
    if me > 0u {
        result = sums[me - 1u];
    }
    workgroupBarrier();
    return result;
}

// Sums within blocks, from the first record on that is left: workgroups take the blocks of a stage in
// turns.
@compute @workgroup_size(LANES)
fn scan_records(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) me: u32) {
    let stage = table(DYNAMIC + level.first_dynamic + group.y);
    let row = stage_row(stage);
    if me == 0u {
        shared_count = left(stage);
    }
    let count = workgroupUniformLoad(&shared_count);
    let done = atomicLoad(&aw_control[counts_row(stage) + aw_counts_done]);
    let within = table(row + aw_stage_within) + done;
    let begins = table(row + aw_stage_begins) + 2u * done;
    let each = aw_scan_block / LANES;
    for (var block = group.x; block * aw_scan_block < count; block += level.scan_groups) {
        let first = block * aw_scan_block + me * each;
        var mine = 0u;
        for (var record = first; record < min(first + each, count); record++) {
            let grid = read_grid(stage, done + record);
            mine = plus(mine, grid.groups);
            plan[within + record] = mine;
            plan[begins + 2u * record + 1u] = grid.x | (grid.y << 16u);
        }
        let before = sum_before(me, LANES, mine);
        for (var record = first; record < min(first + each, count); record++) {
            plan[within + record] = plus(before, plan[within + record]);
        }
        if me == LANES - 1u {
            plan[table(row + aw_stage_scan) + block] = plus(before, mine);
        }
    }
}

// Notes how many workgroups all records that are left ask for.
fn note_sum(stage: u32, count: u32, all: u32) {
    let row = stage_row(stage);
    let launch = table(row + aw_stage_launch);
    let within = atomicLoad(&aw_control[counts_row(stage) + aw_counts_within]);
    let total = min(all, within + AT_ONCE);
    var shift = 0u;
    while ((total - within) >> shift) + 2u > table(row + aw_stage_guide_words) {
        shift++;
    }
    plan[launch + aw_launch_total] = total;
    plan[launch + aw_launch_is_all] = select(0u, 1u, all == total);
    plan[launch + aw_launch_records] = count;
    plan[launch + aw_launch_skipped] = within;
    plan[launch + aw_launch_scanned] = atomicLoad(&aw_control[counts_row(stage) + aw_counts_done]);
    plan[launch + aw_launch_shift] = shift;
}

// Sums over blocks: one workgroup for each stage with a dynamic grid.
@compute @workgroup_size(WIDTH)
fn scan_blocks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) me: u32) {
    let stage = table(DYNAMIC + level.first_dynamic + group.x);
    let row = stage_row(stage);
    let scan = table(row + aw_stage_scan);
    if me == 0u {
        shared_count = left(stage);
    }
    let count = workgroupUniformLoad(&shared_count);
    let blocks = (count + aw_scan_block - 1u) / aw_scan_block;
    let each = (blocks + WIDTH - 1u) / WIDTH;
    let first = me * each;
    var mine = 0u;
    for (var block = first; block < min(first + each, blocks); block++) {
        mine = plus(mine, plan[scan + block]);
    }
    var before = sum_before(me, WIDTH, mine);
    if me == WIDTH - 1u {
        note_sum(stage, count, plus(before, mine));
    }
    for (var block = first; block < min(first + each, blocks); block++) {
        let sum = plan[scan + block];
        plan[scan + block] = before;
        before = plus(before, sum);
    }
}

// Both kinds of sums by one workgroup, block after block. A block has a record for each invocation.
// Uniform control flow.
fn scan_few(stage: u32, me: u32) {
    let row = stage_row(stage);
    if me == 0u {
        shared_count = left(stage);
    }
    let count = workgroupUniformLoad(&shared_count);
    let done = atomicLoad(&aw_control[counts_row(stage) + aw_counts_done]);
    let last = aw_scan_block - 1u;
    var all = 0u;
    for (var first = 0u; first < count; first += aw_scan_block) {
        let record = first + me;
        var mine = 0u;
        if record < count {
            let grid = read_grid(stage, done + record);
            mine = grid.groups;
            plan[table(row + aw_stage_begins) + 2u * (done + record) + 1u] = grid.x | (grid.y << 16u);
        }
        let sum = plus(sum_before(me, aw_scan_block, mine), mine);
        if record < count {
            plan[table(row + aw_stage_within) + done + record] = sum;
        }
        if me == last {
            plan[table(row + aw_stage_scan) + first / aw_scan_block] = all;
            all = plus(all, sum);
        }
    }
    if me == last {
        note_sum(stage, count, all);
    }
}

var<workgroup> block_ends: array<u32, aw_scan_block>;
var<workgroup> shared_unit: u32;
var<workgroup> shared_end: u32;
var<workgroup> shared_block: u32;

// The block of a workgroup: the last that begins at or before it.
fn find_block(stage: u32, unit: u32) -> u32 {
    let row = stage_row(stage);
    let scan = table(row + aw_stage_scan);
    let records = plan[table(row + aw_stage_launch) + aw_launch_records];
    var low = 0u;
    var high = (records + aw_scan_block - 1u) / aw_scan_block;
    while low + 1u < high {
        let middle = (low + high) / 2u;
        if plan[scan + middle] <= unit {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// For each record the workgroups before it. The first that is launched is number zero, so that the
// record it belongs to may begin before that. Workgroups take blocks in turns.
fn write_begins(stage: u32, group: u32, me: u32, width: u32) {
    let row = stage_row(stage);
    let launch = table(row + aw_stage_launch);
    let done = plan[launch + aw_launch_scanned];
    let skipped = plan[launch + aw_launch_skipped];
    let begins = table(row + aw_stage_begins) + 2u * done;
    let within = table(row + aw_stage_within) + done;
    let count = plan[launch + aw_launch_records];
    for (var block = group; block * aw_scan_block < count; block += level.scan_groups) {
        let before = plan[table(row + aw_stage_scan) + block];
        let end = min((block + 1u) * aw_scan_block, count);
        for (var i = block * aw_scan_block + me; i < end; i += width) {
            // The end of a record is the beginning of the next.
            plan[begins + 2u * (i + 1u)] = plus(before, plan[within + i]) - skipped;
        }
        if block == 0u && me == 0u {
            plan[begins] = 0u - skipped;
        }
    }
}

// For each group of consecutive workgroups the record of the first. Each workgroup here does an even part of them,
// block by block of records. Uniform control flow.
fn fill_guide(stage: u32, group: u32, me: u32, width: u32) {
    let row = stage_row(stage);
    let launch = table(row + aw_stage_launch);
    let guide = table(row + aw_stage_guide);
    let total = plan[launch + aw_launch_total];
    let shift = plan[launch + aw_launch_shift];
    let done = plan[launch + aw_launch_scanned];
    let count = plan[launch + aw_launch_records];
    let skipped = plan[launch + aw_launch_skipped];
    if me == 0u {
        let each = (total - skipped + level.scan_groups - 1u) / level.scan_groups;
        shared_unit = skipped + min(group * each, total - skipped);
        shared_end = min(shared_unit + each, total);
        if group == 0u && total > skipped {
            plan[guide + ((total - skipped - 1u) >> shift) + 1u] = done + count - 1u;
        }
    }
    let last = workgroupUniformLoad(&shared_end);
    loop {
        let unit = workgroupUniformLoad(&shared_unit);
        if unit >= last {
            break;
        }
        if me == 0u {
            shared_block = find_block(stage, unit);
        }
        let block = workgroupUniformLoad(&shared_block);
        let begin = block * aw_scan_block;
        let records = min(count - begin, aw_scan_block);
        let before = plan[table(row + aw_stage_scan) + block];
        for (var i = me; i < records; i += width) {
            block_ends[i] = plus(before, plan[table(row + aw_stage_within) + done + begin + i]);
        }
        workgroupBarrier();
        let end = min(block_ends[records - 1u], last);
        // Neither shift loses anything: no number of workgroups is near the end of 32 bits.
        for (var i = ((unit - skipped + (1u << shift) - 1u) >> shift) + me; skipped + (i << shift) < end; i += width) {
            var low = 0u;
            var high = records - 1u;
            while low < high {
                let middle = (low + high) / 2u;
                if block_ends[middle] > skipped + (i << shift) {
                    high = middle;
                } else {
                    low = middle + 1u;
                }
            }
            plan[guide + i] = done + begin + low;
        }
        if me == 0u {
            shared_unit = end;
        }
    }
}

// The record of a workgroup, counted from the first that was left, and which of its grid it is.
fn find(stage: u32, unit: u32) -> vec2<u32> {
    let row = stage_row(stage);
    let launch = table(row + aw_stage_launch);
    let within = table(row + aw_stage_within) + plan[launch + aw_launch_scanned];
    let records = plan[launch + aw_launch_records];
    let block = find_block(stage, unit);
    let rest = unit - plan[table(row + aw_stage_scan) + block];
    let begin = block * aw_scan_block;
    var low = begin;
    var high = min(begin + aw_scan_block, records) - 1u;
    while low < high {
        let middle = (low + high) / 2u;
        if plan[within + middle] > rest {
            high = middle;
        } else {
            low = middle + 1u;
        }
    }
    if low == begin {
        return vec2<u32>(low, rest);
    }
    return vec2<u32>(low, rest - plan[within + low - 1u]);
}

// The admission of a level with few records: a workgroup for each stage with a dynamic grid, which needs
// nobody else since no two stages fill one queue, and one for all the rest.
@compute @workgroup_size(aw_scan_block)
fn admit_few(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) me: u32) {
    if group.x == 0u {
        for (var i = me; i < level.retired; i += aw_scan_block) {
            retire(level.first_retired + i);
        }
        for (var i = me; i < level.stages; i += aw_scan_block) {
            let stage = level.first_stage + i;
            if table(stage_row(stage) + aw_stage_kind) != DYNAMIC_GRID {
                launch(stage);
            }
        }
        return;
    }
    let stage = table(DYNAMIC + level.first_dynamic + group.x - 1u);
    scan_few(stage, me);
    storageBarrier();
    // The cursors move on, and with them what has been scanned; what follows goes by the words of the plan.
    if me == 0u {
        launch(stage);
    }
    for (var i = 0u; i < level.scan_groups; i++) {
        write_begins(stage, i, me, aw_scan_block);
        fill_guide(stage, i, me, aw_scan_block);
    }
}
