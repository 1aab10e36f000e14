// Conway's game of life on a torus of 256x256 cells, 200 steps from random cells:
//
//   cargo run --release -- run examples/life.wgsl --workgroups 32,32 --bind 0:0=random:262144 --repeat 200 --swap 0:0,0:1 --out 0:1=life.png:256x256:heat
//
// Each step reads the cells before and writes the cells after; the swap makes the one the other.

const SIZE = 256u;
const GLOW = 24u;

// The lowest bit is life. The bits above glow: full in a living cell, fading where one has died.
@group(0) @binding(0) var<storage, read> before: array<u32>;
@group(0) @binding(1) var<storage, read_write> after: array<u32>;

// Living cells among three in a row.
fn living(row: u32, west: u32, x: u32, east: u32) -> u32 {
    return (before[row + west] & 1u) + (before[row + x] & 1u) + (before[row + east] & 1u);
}

@compute @workgroup_size(8, 8)
fn step(@builtin(global_invocation_id) cell: vec3u) {
    // One less is SIZE - 1 more on a torus, and never below zero.
    let west = (cell.x + SIZE - 1u) % SIZE;
    let east = (cell.x + 1u) % SIZE;
    let north = (cell.y + SIZE - 1u) % SIZE * SIZE;
    let south = (cell.y + 1u) % SIZE * SIZE;
    let row = cell.y * SIZE;
    let index = row + cell.x;

    let itself = before[index] & 1u;
    let neighbours = living(north, west, cell.x, east) + living(row, west, cell.x, east)
        + living(south, west, cell.x, east) - itself;
    let alive = neighbours == 3u || (neighbours == 2u && itself == 1u);
    // Random cells glow at random; the limit keeps that within the scale.
    let fading = max(min(before[index] >> 1u, GLOW), 1u) - 1u;
    after[index] = select(fading << 1u, (GLOW << 1u) | 1u, alive);
}
