// One step of a flock: each bird turns toward the birds around it.
struct Bird {
    position: vec2<f32>,
    velocity: vec2<f32>,
}

@group(0) @binding(0) var<storage, read> birds: array<Bird>;
@group(0) @binding(1) var<storage, read_write> next: array<Bird>;

const RADIUS: f32 = 64.0;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    let me = birds[i];
    var center = vec2<f32>(0.0);
    var heading = vec2<f32>(0.0);
    var count = 0u;
    for (var j = 0u; j < arrayLength(&birds); j++) {
        if (j == i) {
            continue;
        }
        let other = birds[j];
        let offset = other.position - me.position;
        if (dot(offset, offset) > RADIUS * RADIUS) {
            continue;
        }
        center += other.position;
        heading += other.velocity;
        count++;
    }
    var velocity = me.velocity;
    if (count > 0u) {
        let share = 1.0 / f32(count);
        velocity += 0.01 * (center * share - me.position) + 0.125 * (heading * share - me.velocity);
    }
    next[i] = Bird(me.position + velocity, velocity);
}
