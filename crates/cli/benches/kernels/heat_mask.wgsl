// One step of the heat equation on a square plate with a hot plate, a cold bar and a wall with a gap.
@group(0) @binding(0) var<storage, read> now: array<f32>;
@group(0) @binding(1) var<storage, read_write> next: array<f32>;

const N: u32 = 1024u;
const RATE: f32 = 0.2;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = id.x;
    let y = id.y;
    if (x >= N || y >= N) {
        return;
    }
    let i = y * N + x;
    let hot = x > N / 8u && x < N / 4u && y > N / 8u && y < N / 4u;
    let cold = x > N / 2u && x < N / 2u + N / 8u && y > N / 4u * 3u && y < N / 8u * 7u;
    let gap = y > N / 8u * 3u && y < N / 2u;
    let wall = x >= N / 8u * 3u && x < N / 8u * 3u + 4u && !gap;
    if (hot) {
        next[i] = 1.0;
    } else if (cold || wall) {
        next[i] = 0.0;
    } else if (x > 0u && x < N - 1u && y > 0u && y < N - 1u) {
        let around = now[i - 1u] + now[i + 1u] + now[i - N] + now[i + N];
        next[i] = now[i] + RATE * (around - 4.0 * now[i]);
    } else {
        next[i] = now[i];
    }
}
