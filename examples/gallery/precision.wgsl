// A part of the Mandelbrot set that is 4 millionths wide, to the left with numbers of 32 bits and to the right with numbers
// of 64 bits: where neighbouring pixels round to the same number, the picture falls apart into blocks.
//
//   cargo run --release -- run examples/gallery/precision.wgsl --workgroups 72,48 --out iterations=precision.png:576x384:heat
//
// WGSL has no f64, but naga's dialect does. Not every GPU computes with it; the CPU does.

const MAX_ITERATIONS = 1000u;
const WIDTH = 4e-6lf;

@group(0) @binding(0) var<storage, read_write> iterations: array<u32>;

fn escape_f32(re: f32, im: f32) -> u32 {
    var x = 0.0f;
    var y = 0.0f;
    for (var step = 0u; step < MAX_ITERATIONS; step++) {
        let next = x * x - y * y + re;
        y = 2.0f * x * y + im;
        x = next;
        if x * x + y * y > 4.0f {
            return step;
        }
    }
    return 0u;
}

fn escape_f64(re: f64, im: f64) -> u32 {
    var x = 0.0lf;
    var y = 0.0lf;
    for (var step = 0u; step < MAX_ITERATIONS; step++) {
        let next = x * x - y * y + re;
        y = 2.0lf * x * y + im;
        x = next;
        if x * x + y * y > 4.0lf {
            return step;
        }
    }
    return 0u;
}

@compute @workgroup_size(8, 8)
fn mandelbrot(@builtin(global_invocation_id) pixel: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let size = workgroups.xy * 8u;
    let pixel_width = WIDTH / f64(size.x);
    let re = -0.77568377lf + (f64(pixel.x) - f64(size.x / 2u)) * pixel_width;
    let im = 0.13646737lf + (f64(size.y / 2u) - f64(pixel.y)) * pixel_width;
    var steps: u32;
    if pixel.x < size.x / 2u {
        steps = escape_f32(f32(re), f32(im));
    } else {
        steps = escape_f64(re, im);
    }
    iterations[pixel.y * size.x + pixel.x] = steps;
}
