// Two galaxies collide: the gravity of every body on every other one. Each workgroup loads the bodies tile by tile
// into its memory, where all of its invocations read them.
//
//   cargo run --release -- run examples/gallery/nbody.wgsl --entry start --workgroups 16 --out after=start.bin
//   cargo run --release -- run examples/gallery/nbody.wgsl --entry move_on --workgroups 16 --bind before=@start.bin --repeat 420 --swap before,after --out after=bodies.bin
//   cargo run --release -- run examples/gallery/nbody.wgsl --entry draw --workgroups 64,64 --bind before=@bodies.bin --out picture=nbody.png:512x512:rgba8

const TILE = 256u;
const TIME_STEP = 0.004;
// Bodies closer than this attract each other less, as spheres of this size would.
const SOFTENING = 0.03;
const TAU = 6.2831853;

struct Body {
    position: vec3f,
    mass: f32,
    velocity: vec3f,
    galaxy: u32,
}

@group(0) @binding(0) var<storage, read> before: array<Body>;
@group(0) @binding(1) var<storage, read_write> after: array<Body>;
@group(0) @binding(2) var<storage, read_write> picture: array<u32>;

// Uniformly distributed numbers from 0 to 1 (the PCG hash of Jarzynski and Olano 2020).
fn random(seed: u32) -> f32 {
    let state = seed * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return f32((word >> 22u) ^ word) / 4294967296.0;
}

// A disc of light bodies in circular orbits around a heavy one.
@compute @workgroup_size(TILE)
fn start(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let i = id.x;
    let count = workgroups.x * TILE;
    let galaxy = i % 2u;
    let side = select(-1.0, 1.0, galaxy == 1u);
    let centre = side * vec3f(0.75, 0.35, 0.0);
    let drift = side * vec3f(-0.42, 0.12, 0.0);
    if i < 2u {
        after[i] = Body(centre, 1.0, drift, galaxy);
        return;
    }
    let angle = TAU * random(3u * i);
    let radius = 0.08 + 0.5 * sqrt(random(3u * i + 1u));
    let height = 0.02 * (random(3u * i + 2u) - 0.5);
    let tilt = select(0.5, 1.1, galaxy == 1u);
    let direction = vec3f(cos(angle), sin(angle) * cos(tilt), sin(angle) * sin(tilt));
    let onward = vec3f(-sin(angle), cos(angle) * cos(tilt), cos(angle) * sin(tilt));
    let position = centre + radius * direction + vec3f(0.0, 0.0, height);
    after[i] = Body(position, 0.1 / f32(count), drift + onward * inverseSqrt(radius), galaxy);
}

var<workgroup> tile: array<vec4f, TILE>;

@compute @workgroup_size(TILE)
fn move_on(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
    var body = before[id.x];
    var force = vec3f(0.0);
    for (var first = 0u; first < arrayLength(&before); first += TILE) {
        tile[local] = vec4f(before[first + local].position, before[first + local].mass);
        workgroupBarrier();
        for (var i = 0u; i < TILE; i++) {
            let other = tile[i];
            let distance = other.xyz - body.position;
            let inverse = inverseSqrt(dot(distance, distance) + SOFTENING * SOFTENING);
            force += distance * (other.w * inverse * inverse * inverse);
        }
        // The tile is overwritten after all invocations have read it.
        workgroupBarrier();
    }
    body.velocity += TIME_STEP * force;
    body.position += TIME_STEP * body.velocity;
    after[id.x] = body;
}

// One invocation for each pixel adds up the light of all bodies.
@compute @workgroup_size(8, 8)
fn draw(@builtin(global_invocation_id) pixel: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let size = workgroups.xy * 8u;
    let place = (vec2f(pixel.xy) + 0.5) / vec2f(size) * 2.6 - 1.3;
    var light = array<f32, 2>(0.0, 0.0);
    for (var i = 0u; i < arrayLength(&before); i++) {
        let distance = before[i].position.xy - place;
        // A small core with a wide glow.
        let squared = dot(distance, distance) + 1e-5;
        light[before[i].galaxy] += 6e-6 / squared;
    }
    let color = light[0] * vec3f(1.0, 0.62, 0.3) + light[1] * vec3f(0.35, 0.6, 1.0);
    picture[pixel.y * size.x + pixel.x] = pack4x8unorm(vec4f(1.0 - exp(-color), 1.0));
}
