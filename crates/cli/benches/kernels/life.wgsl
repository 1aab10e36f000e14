// One step of Conway's game of life on a torus.
@group(0) @binding(0) var<storage, read> now: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;

const N: u32 = 1024u;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = id.x;
    let y = id.y;
    let left = select(x - 1u, N - 1u, x == 0u);
    let right = select(x + 1u, 0u, x == N - 1u);
    let up = select(y - 1u, N - 1u, y == 0u);
    let down = select(y + 1u, 0u, y == N - 1u);
    let neighbours = now[up * N + left] + now[up * N + x] + now[up * N + right]
        + now[y * N + left] + now[y * N + right]
        + now[down * N + left] + now[down * N + x] + now[down * N + right];
    let i = y * N + x;
    let lives = neighbours == 3u || (neighbours == 2u && now[i] == 1u);
    next[i] = select(0u, 1u, lives);
}
