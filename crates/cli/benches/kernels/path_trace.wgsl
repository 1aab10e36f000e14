// A picture of spheres by path tracing: diffuse and mirroring surfaces below a bright sky.
struct Sphere {
    center: vec3<f32>,
    radius: f32,
    color: vec3<f32>,
    mirror: f32,
}

@group(0) @binding(0) var<storage, read> spheres: array<Sphere>;
@group(0) @binding(1) var<storage, read_write> image: array<vec4<f32>>;

const W: u32 = 512u;
const H: u32 = 512u;
const SAMPLES: u32 = 4u;
const BOUNCES: u32 = 5u;
const FAR: f32 = 1e9;

// A random number of the interval from 0 to 1, by a permuted congruential generator.
fn random(state: ptr<function, u32>) -> f32 {
    let old = *state;
    *state = old * 747796405u + 2891336453u;
    let word = ((old >> ((old >> 28u) + 4u)) ^ old) * 277803737u;
    return f32(((word >> 22u) ^ word) >> 8u) / 16777216.0;
}

fn random_direction(state: ptr<function, u32>) -> vec3<f32> {
    let z = 1.0 - 2.0 * random(state);
    let angle = 6.2831853 * random(state);
    let r = sqrt(max(0.0, 1.0 - z * z));
    return vec3<f32>(r * cos(angle), r * sin(angle), z);
}

struct Hit {
    distance: f32,
    sphere: u32,
}

fn nearest_hit(origin: vec3<f32>, direction: vec3<f32>) -> Hit {
    var hit = Hit(FAR, 0u);
    for (var i = 0u; i < arrayLength(&spheres); i++) {
        let offset = spheres[i].center - origin;
        let along = dot(offset, direction);
        let radius = spheres[i].radius;
        let discriminant = along * along - dot(offset, offset) + radius * radius;
        if (discriminant < 0.0) {
            continue;
        }
        let root = sqrt(discriminant);
        var t = along - root;
        if (t < 0.01) {
            t = along + root;
        }
        if (t < 0.01 || t >= hit.distance) {
            continue;
        }
        hit = Hit(t, i);
    }
    return hit;
}

fn trace(start: vec3<f32>, toward: vec3<f32>, state: ptr<function, u32>) -> vec3<f32> {
    var origin = start;
    var direction = toward;
    var weight = vec3<f32>(1.0);
    for (var bounce = 0u; bounce < BOUNCES; bounce++) {
        let hit = nearest_hit(origin, direction);
        if (hit.distance >= FAR) {
            let height = clamp(0.5 + 0.5 * direction.y, 0.0, 1.0);
            return weight * mix(vec3<f32>(1.0), vec3<f32>(0.4, 0.6, 1.0), height);
        }
        let sphere = spheres[hit.sphere];
        origin += direction * hit.distance;
        let normal = (origin - sphere.center) / sphere.radius;
        if (random(state) < sphere.mirror) {
            direction = reflect(direction, normal);
        } else {
            direction = normalize(normal * 1.001 + random_direction(state));
        }
        weight *= sphere.color;
    }
    return vec3<f32>(0.0);
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= W || id.y >= H) {
        return;
    }
    let pixel = id.y * W + id.x;
    var state = pixel * 9781u + 1u;
    var color = vec3<f32>(0.0);
    for (var sample = 0u; sample < SAMPLES; sample++) {
        let x = (f32(id.x) + random(&state)) / f32(W) * 2.0 - 1.0;
        let y = 1.0 - (f32(id.y) + random(&state)) / f32(H) * 2.0;
        color += trace(vec3<f32>(0.0, 1.0, -4.0), normalize(vec3<f32>(x, y - 0.2, 1.5)), &state);
    }
    image[pixel] = vec4<f32>(color / f32(SAMPLES), 1.0);
}
