// The quadtree as a chain of passes: a list of cells and a list of leaves for each level, each with a
// count, and a pass of one invocation between levels that turns counts into dispatches.
override LEVEL: u32 = 0u;
override COPIES: u32 = 1u;

struct Leaf { corner: vec2<u32>, size: u32, side: i32 }

// Cells of each level, leaves of each level, and how wide the dispatch over each of the two is.
struct Counts {
    cells: array<atomic<u32>, 8>,
    leaves: array<atomic<u32>, 8>,
    cells_wide: array<u32, 8>,
    leaves_wide: array<u32, 8>,
}

@group(1) @binding(0) var<storage, read_write> counts: Counts;
@group(1) @binding(1) var<storage, read_write> cells: array<vec4<u32>>;
@group(1) @binding(2) var<storage, read_write> leaves: array<Leaf>;
@group(2) @binding(0) var<storage, read_write> arguments: array<u32>;
@group(0) @binding(0) var<storage, read_write> picture: array<u32>;

// Where the list of a level begins: after all that those before it could hold.
fn first(level: u32) -> u32 {
    return COPIES * (((1u << (2u * level)) - 1u) / 3u);
}

fn wide(groups: u32) -> vec2<u32> {
    let y = (groups + 65534u) / 65535u;
    if y == 0u { return vec2<u32>(0u); }
    return vec2<u32>((groups + y - 1u) / y, y);
}

@compute @workgroup_size(64)
fn begin(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < COPIES { cells[id.x] = vec4<u32>(0u, 0u, 512u, 0u); }
    if id.x < 8u {
        atomicStore(&counts.cells[id.x], select(0u, COPIES, id.x == 0u));
        atomicStore(&counts.leaves[id.x], 0u);
    }
}

@compute @workgroup_size(1)
fn prepare() {
    let size = wide((atomicLoad(&counts.cells[LEVEL]) + 63u) / 64u);
    counts.cells_wide[LEVEL] = size.x;
    arguments[3u * LEVEL] = size.x;
    arguments[3u * LEVEL + 1u] = size.y;
    arguments[3u * LEVEL + 2u] = 1u;
}

@compute @workgroup_size(64)
fn split(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) me: u32) {
    let index = 64u * (group.y * counts.cells_wide[LEVEL] + group.x) + me;
    if index >= atomicLoad(&counts.cells[LEVEL]) { return; }
    let cell = cells[first(LEVEL) + index];
    let side = side_of(cell.xy, cell.z);
    if side == 0 && LEVEL < 6u {
        let half = cell.z / 2u;
        let at = first(LEVEL + 1u) + atomicAdd(&counts.cells[LEVEL + 1u], 4u);
        for (var i = 0u; i < 4u; i++) {
            cells[at + i] = vec4<u32>(cell.xy + half * vec2<u32>(i % 2u, i / 2u), half, 0u);
        }
        return;
    }
    let at = first(LEVEL) + atomicAdd(&counts.leaves[LEVEL], 1u);
    leaves[at] = Leaf(cell.xy, cell.z, side);
}

// Leaves of one level are of one size.
fn blocks() -> u32 {
    return 64u >> LEVEL;
}

@compute @workgroup_size(1)
fn prepare_leaves() {
    let size = wide(atomicLoad(&counts.leaves[LEVEL]) * blocks() * blocks());
    counts.leaves_wide[LEVEL] = size.x;
    arguments[24u + 3u * LEVEL] = size.x;
    arguments[25u + 3u * LEVEL] = size.y;
    arguments[26u + 3u * LEVEL] = 1u;
}

@compute @workgroup_size(8, 8)
fn draw(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let side_blocks = blocks();
    let all = side_blocks * side_blocks;
    let linear = group.y * counts.leaves_wide[LEVEL] + group.x;
    let index = linear / all;
    if index >= atomicLoad(&counts.leaves[LEVEL]) { return; }
    let leaf = leaves[first(LEVEL) + index];
    let within = 8u * vec2<u32>(linear % all % side_blocks, linear % all / side_blocks) + local.xy;
    let pixel = leaf.corner + within;
    var side = leaf.side;
    let is_outline = side == 0;
    if is_outline {
        side = side_of(pixel, 0u);
    }
    let depth = countLeadingZeros(leaf.size) - 22u;
    var colour = select(vec3<u32>(22u, 26u, 46u), vec3<u32>(30u, 90u, 130u), side <= 0);
    colour += vec3<u32>(10u, 12u, 14u) * depth;
    if is_outline {
        colour = select(vec3<u32>(70u, 78u, 110u), vec3<u32>(255u, 190u, 80u), side <= 0);
    }
    if within.x == 0u || within.y == 0u {
        colour = colour * 5u / 8u;
    }
    let packed = colour.x | (colour.y << 8u) | (colour.z << 16u) | 0xff000000u;
    picture[pixel.y * 512u + pixel.x] = packed;
}
