//! The Mandelbrot set by escape time.

use gpu_sdk::{Vec2f, set_pixel, thread_id, vec2f};

/// Draws one pixel; points that stay bounded for `limit` iterations are black.
#[gpu_sdk::kernel]
pub fn mandelbrot(width: i32, height: i32, limit: u32) -> u32 {
    let (x, y) = (thread_id() % width, thread_id() / width);
    let place = vec2f(x as f32, y as f32) / vec2f(width as f32, height as f32);
    let steps = escape(place * vec2f(3.0, 2.0) - vec2f(2.2, 1.0), limit);
    let brightness = if steps == limit {
        0.0
    } else {
        steps as f32 / limit as f32
    };
    set_pixel(
        x,
        y,
        brightness,
        brightness * brightness,
        0.25 * brightness,
        1.0,
    );
    steps
}

/// The number of iterations of z = z^2 + c until z leaves the circle of radius 2.
fn escape(c: Vec2f, limit: u32) -> u32 {
    let mut z = Vec2f::ZERO;
    let mut steps = 0;
    while steps < limit && z.dot(z) <= 4.0 {
        z = square(z) + c;
        steps += 1;
    }
    steps
}

fn square(z: Vec2f) -> Vec2f {
    vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y)
}
