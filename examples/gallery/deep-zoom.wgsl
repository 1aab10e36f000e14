// The Mandelbrot set around c = i in a view that is 1e-30 wide, far below the precision of every number type on a GPU.
// Perturbation makes it possible: a pixel is the small difference to a reference orbit (Martin 2013), and small numbers
// have as many digits as large ones. The orbit of c = i needs no long numbers, because it repeats: 0, i, -1+i, -i, -1+i, ..
//
// The host program is `deep_zoom.rs`. It runs the passes `iterate` and `draw` in guarded batches, which declare
// `batch_is_active()` and the parameters' place: group 0, binding 2.

struct Params {
    size: vec2u,
    // The number of the batch, counted from 0.
    batch: u32,
    steps: u32,
}

struct Pixel {
    // z - Z: the difference to the reference orbit.
    difference: vec2f,
    // The place in the reference orbit.
    place: u32,
    // The number of steps before z escaped, with a fraction; negative while it has not.
    escaped: f32,
}

@group(0) @binding(2) var<uniform> params: Params;
@group(1) @binding(0) var<storage, read_write> pixels: array<Pixel>;
// How many pixels have escaped, and how many batches were applied.
@group(1) @binding(1) var<storage, read_write> progress: array<atomic<u32>, 2>;
@group(1) @binding(2) var<storage, read_write> picture: array<u32>;

const WIDTH = 1e-30;
const ESCAPE = 1000.0;

fn product(a: vec2f, b: vec2f) -> vec2f {
    return vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

fn reference(place: u32) -> vec2f {
    if place == 0u {
        return vec2f(0.0);
    }
    if place == 1u {
        return vec2f(0.0, 1.0);
    }
    return select(vec2f(0.0, -1.0), vec2f(-1.0, 1.0), place % 2u == 0u);
}

@compute @workgroup_size(8, 8)
fn iterate(@builtin(global_invocation_id) id: vec3u) {
    if !batch_is_active() || any(id.xy >= params.size) {
        return;
    }
    if all(id.xy == vec2u(0u)) {
        atomicAdd(&progress[1], 1u);
    }
    let index = id.y * params.size.x + id.x;
    var pixel = pixels[index];
    if params.batch == 0u {
        pixel = Pixel(vec2f(0.0), 0u, -1.0);
    }
    if pixel.escaped >= 0.0 {
        return;
    }
    // i is above the middle: it is the end of a branch, which comes from below.
    let at = (vec2f(id.xy) + 0.5 - vec2f(0.5, 0.2) * vec2f(params.size)) * (WIDTH / f32(params.size.x));
    let c = vec2f(at.x, -at.y);
    for (var step = 0u; step < params.steps; step++) {
        // (Z + d)^2 + C + c = Z^2 + C + 2 Z d + d^2 + c
        let orbit = reference(pixel.place);
        pixel.difference = product(2.0 * orbit + pixel.difference, pixel.difference) + c;
        pixel.place++;
        let z = reference(pixel.place) + pixel.difference;
        let size = dot(z, z);
        if size > ESCAPE {
            pixel.escaped = f32(params.batch * params.steps + step) + 1.0 - log2(0.5 * log2(size));
            atomicAdd(&progress[0], 1u);
            break;
        }
        // Near zero the difference has more digits than z - 0 needs: go on from the orbit's start (Zhuoran 2021).
        if size < dot(pixel.difference, pixel.difference) {
            pixel.difference = z;
            pixel.place = 0u;
        }
    }
    pixels[index] = pixel;
}

@compute @workgroup_size(8, 8)
fn draw(@builtin(global_invocation_id) id: vec3u) {
    if !batch_is_active() || any(id.xy >= params.size) {
        return;
    }
    let index = id.y * params.size.x + id.x;
    let escaped = pixels[index].escaped;
    var color = vec3f(0.0);
    if escaped >= 0.0 {
        // No pixel of a view that is this deep escapes in fewer steps.
        let phase = 0.8 * (escaped - 75.0);
        color = 0.5 - 0.5 * cos(phase + vec3f(0.0, 0.7, 1.6));
    }
    picture[index] = pack4x8unorm(vec4f(color * color, 1.0));
}
