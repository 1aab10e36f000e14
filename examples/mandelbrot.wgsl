// The Mandelbrot set, one invocation a pixel:
//
//   cargo run --release -- run examples/mandelbrot.wgsl --workgroups 128,128 --out 0:0=mandelbrot.png:1024x1024:heat
//
// The picture is as large as the grid: 8x8 pixels to a workgroup.

const MAX_ITERATIONS = 48u;
const CENTRE = vec2f(-0.66, 0.0);
const WIDTH = 2.7;

// How many steps each pixel took to escape; 0 inside the set.
@group(0) @binding(0) var<storage, read_write> iterations: array<u32>;

// Most points of the set lie in its two largest parts, which have equations of their own.
fn in_largest_parts(c: vec2f) -> bool {
    let x = c.x - 0.25;
    let q = x * x + c.y * c.y;
    let in_cardioid = q * (q + x) <= 0.25 * c.y * c.y;
    let in_disc = (c.x + 1.0) * (c.x + 1.0) + c.y * c.y <= 0.0625;
    return in_cardioid || in_disc;
}

fn escape_time(c: vec2f) -> u32 {
    if in_largest_parts(c) {
        return 0u;
    }
    var z = vec2f(0.0);
    for (var step = 1u; step <= MAX_ITERATIONS; step++) {
        z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        if dot(z, z) > 4.0 {
            return step;
        }
    }
    return 0u;
}

@compute @workgroup_size(8, 8)
fn mandelbrot(
    @builtin(global_invocation_id) pixel: vec3u,
    @builtin(num_workgroups) workgroups: vec3u,
) {
    let size = workgroups.xy * 8u;
    let place = (vec2f(pixel.xy) + 0.5) / vec2f(size) - 0.5;
    let aspect = f32(size.y) / f32(size.x);
    let c = CENTRE + WIDTH * vec2f(place.x, -place.y * aspect);
    iterations[pixel.y * size.x + pixel.x] = escape_time(c);
}
