// One step of the heat equation on a square plate, whose border keeps its temperature.
@group(0) @binding(0) var<storage, read> now: array<f32>;
@group(0) @binding(1) var<storage, read_write> next: array<f32>;

const N: u32 = 1024u;
const RATE: f32 = 0.2;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = id.x;
    let y = id.y;
    if (x == 0u || y == 0u || x >= N - 1u || y >= N - 1u) {
        return;
    }
    let i = y * N + x;
    let around = now[i - 1u] + now[i + 1u] + now[i - N] + now[i + N];
    next[i] = now[i] + RATE * (around - 4.0 * now[i]);
}
