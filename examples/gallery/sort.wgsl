// Sorts numbers in place with a bitonic sorting network (Batcher 1968), one dispatch for each of its steps:
//
//   cargo run --release -- run examples/gallery/sort.wgsl --workgroups 512 --bind numbers=random:u32:262144 --repeat 171 --swap stage,next_stage --out numbers=sorted.bin --out history=sort.png:512x342:heat
//
// An invocation compares and exchanges one pair, so 2^n numbers take 2^(n-1) invocations and n * (n + 1) / 2 steps.
// The picture shows 512 of the numbers over time, from top to bottom: noise at first, a gradient in the end.

const COLUMNS = 512u;
const ROWS_PER_STEP = 2u;

struct Stage {
    // The length of the runs that are being merged, and the distance between compared numbers.
    run: u32,
    distance: u32,
    step: u32,
}

@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(1) var<storage, read> stage: Stage;
@group(0) @binding(2) var<storage, read_write> next_stage: Stage;
@group(0) @binding(3) var<storage, read_write> history: array<u32>;

fn store(index: u32, number: u32) {
    numbers[index] = number;
    let columns_apart = arrayLength(&numbers) / COLUMNS;
    // A place in the middle: the first number of a run is always its least or its most.
    if index % columns_apart != 341u % columns_apart {
        return;
    }
    for (var row = 0u; row < ROWS_PER_STEP; row++) {
        history[(stage.step * ROWS_PER_STEP + row) * COLUMNS + index / columns_apart] = number;
    }
}

@compute @workgroup_size(256)
fn compare_exchange(@builtin(global_invocation_id) id: vec3u) {
    // Buffers begin as zeros.
    let run = max(stage.run, 2u);
    let distance = max(stage.distance, 1u);
    if id.x == 0u {
        // A stage is only read until the two are swapped.
        let is_merged = distance == 1u;
        next_stage = Stage(select(run, run * 2u, is_merged), select(distance / 2u, run, is_merged), stage.step + 1u);
    }
    // The bits of the invocation's number, with a zero inserted for the lower number of the pair.
    let low = (id.x & ~(distance - 1u)) * 2u + (id.x & (distance - 1u));
    let high = low + distance;
    // Runs alternate between ascending and descending, so that two neighbours are a bitonic sequence.
    let is_ascending = (low & run) == 0u;
    let least = min(numbers[low], numbers[high]);
    let most = max(numbers[low], numbers[high]);
    store(low, select(most, least, is_ascending));
    store(high, select(least, most, is_ascending));
}
