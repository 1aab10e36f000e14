//! A minimal picture: red increases to the right, green downwards, blue with time.

use gpu_sdk::{fract, set_pixel, thread_id, time};

/// Draws one pixel of a picture of `width` times `height` pixels.
#[gpu_sdk::kernel]
pub fn gradient(width: i32, height: i32) {
    let (x, y) = (thread_id() % width, thread_id() / width);
    let (red, green) = (x as f32 / width as f32, y as f32 / height as f32);
    set_pixel(x, y, red, green, fract(time()), 1.0);
}
