// Conway's game of life on a torus of 256x256 cells, 400 steps from random cells:
//
//   cargo run --release -- run examples/life.wgsl --workgroups 32,32 --bind 0:0=random:262144 --repeat 400 --swap 0:0,0:1 --out 0:1=life.png:256x256:heat
//
// Each step reads the cells before and writes the cells after; the swap makes the one the other.

const SIZE = 256u;
const GLOW = 24u;

// The lowest bit is life. The bits above glow: full in a living cell, fading where one has died.
@group(0) @binding(0) var<storage, read> before: array<u32>;
@group(0) @binding(1) var<storage, read_write> after: array<u32>;

fn is_alive(x: u32, y: u32) -> u32 {
    return before[(y % SIZE) * SIZE + x % SIZE] & 1u;
}

fn neighbours(x: u32, y: u32) -> u32 {
    // One less is as good as SIZE - 1 more, and never below zero.
    let west = x + SIZE - 1u;
    let north = y + SIZE - 1u;
    return is_alive(west, north) + is_alive(x, north) + is_alive(x + 1u, north)
        + is_alive(west, y) + is_alive(x + 1u, y)
        + is_alive(west, y + 1u) + is_alive(x, y + 1u) + is_alive(x + 1u, y + 1u);
}

@compute @workgroup_size(8, 8)
fn step(@builtin(global_invocation_id) cell: vec3u) {
    let index = cell.y * SIZE + cell.x;
    let count = neighbours(cell.x, cell.y);
    let alive = count == 3u || (count == 2u && (before[index] & 1u) == 1u);
    // Random cells glow at random; the limit keeps that within the scale.
    let fading = max(min(before[index] >> 1u, GLOW), 1u) - 1u;
    after[index] = select(fading << 1u, GLOW << 1u | 1u, alive);
}
