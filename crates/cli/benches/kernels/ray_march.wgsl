// A picture of a signed distance field by sphere tracing, with soft shadows.
@group(0) @binding(0) var<storage, read_write> image: array<vec4<f32>>;

const W: u32 = 1024u;
const H: u32 = 1024u;

fn box(p: vec3<f32>, size: vec3<f32>) -> f32 {
    let q = abs(p) - size;
    return length(max(q, vec3<f32>(0.0))) + min(max(q.x, max(q.y, q.z)), 0.0);
}

fn smooth_min(a: f32, b: f32, k: f32) -> f32 {
    let h = clamp(0.5 + 0.5 * (b - a) / k, 0.0, 1.0);
    return mix(b, a, h) - k * h * (1.0 - h);
}

fn scene(p: vec3<f32>) -> f32 {
    let ground = p.y + 1.0;
    let ball = length(p - vec3<f32>(-0.5, 0.0, 0.0)) - 0.8;
    let cube = box(p - vec3<f32>(0.7, -0.4, 0.2), vec3<f32>(0.5));
    // Small balls in rows over the whole ground.
    let cell = vec3<f32>(fract(p.x + 0.5) - 0.5, p.y + 0.9, fract(p.z + 0.5) - 0.5);
    let pearls = length(cell) - 0.15;
    return min(min(ground, pearls), smooth_min(ball, cube, 0.3));
}

fn normal(p: vec3<f32>) -> vec3<f32> {
    let e = vec2<f32>(0.01, 0.0);
    return normalize(vec3<f32>(
        scene(p + e.xyy) - scene(p - e.xyy),
        scene(p + e.yxy) - scene(p - e.yxy),
        scene(p + e.yyx) - scene(p - e.yyx),
    ));
}

fn march(origin: vec3<f32>, direction: vec3<f32>) -> f32 {
    var t = 0.0;
    for (var i = 0; i < 96; i++) {
        let d = scene(origin + direction * t);
        if (d < 0.001 || t > 20.0) {
            break;
        }
        t += d;
    }
    return t;
}

fn shadow(origin: vec3<f32>, direction: vec3<f32>) -> f32 {
    var light = 1.0;
    var t = 0.05;
    for (var i = 0; i < 32; i++) {
        let d = scene(origin + direction * t);
        light = min(light, 8.0 * d / t);
        t += clamp(d, 0.02, 0.25);
        if (light < 0.005 || t > 5.0) {
            break;
        }
    }
    return clamp(light, 0.0, 1.0);
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= W || id.y >= H) {
        return;
    }
    let size = vec2<f32>(f32(W), f32(H));
    let uv = (2.0 * (vec2<f32>(id.xy) + 0.5) - size) / size.y;
    let origin = vec3<f32>(0.0, 0.6, -3.0);
    let direction = normalize(vec3<f32>(uv.x, -uv.y - 0.2, 1.5));
    let t = march(origin, direction);
    var color = vec3<f32>(0.5, 0.7, 0.9) * (1.0 - 0.5 * max(direction.y, 0.0));
    if (t < 20.0) {
        let p = origin + direction * t;
        let n = normal(p);
        let sun = normalize(vec3<f32>(0.6, 0.7, -0.5));
        let diffuse = max(dot(n, sun), 0.0) * shadow(p + 0.01 * n, sun);
        let halfway = normalize(sun - direction);
        let specular = pow(max(dot(n, halfway), 0.0), 32.0);
        let lit = vec3<f32>(0.9, 0.6, 0.4) * (0.2 + 0.8 * diffuse) + 0.3 * specular * diffuse;
        color = mix(color, lit, exp(-0.02 * t * t));
    }
    image[id.y * W + id.x] = vec4<f32>(sqrt(color), 1.0);
}
