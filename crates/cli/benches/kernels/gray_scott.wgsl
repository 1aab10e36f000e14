// One step of the Gray-Scott model of reaction and diffusion on a torus.
@group(0) @binding(0) var<storage, read> u_now: array<f32>;
@group(0) @binding(1) var<storage, read> v_now: array<f32>;
@group(0) @binding(2) var<storage, read_write> u_next: array<f32>;
@group(0) @binding(3) var<storage, read_write> v_next: array<f32>;

const N: u32 = 512u;
const FEED: f32 = 0.055;
const KILL: f32 = 0.062;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * N + id.x;
    let left = id.y * N + (id.x + N - 1u) % N;
    let right = id.y * N + (id.x + 1u) % N;
    let up = (id.y + N - 1u) % N * N + id.x;
    let down = (id.y + 1u) % N * N + id.x;

    let u = u_now[i];
    let v = v_now[i];
    let du = u_now[left] + u_now[right] + u_now[up] + u_now[down] - 4.0 * u;
    let dv = v_now[left] + v_now[right] + v_now[up] + v_now[down] - 4.0 * v;
    let reaction = u * v * v;
    u_next[i] = clamp(u + 0.2 * du - reaction + FEED * (1.0 - u), 0.0, 1.0);
    v_next[i] = clamp(v + 0.1 * dv + reaction - (FEED + KILL) * v, 0.0, 1.0);
}
