//! Kernels as a user writes them: neither the standard library nor an allocator on wasm32.

#![no_std]

use gpu_sdk::{
    atomic_add, floor, inverse_sqrt, print_args, read_file, read_input, read_state, round,
    set_pixel, sin, sqrt, thread_id, time, trunc, vec3f, write_file, write_state,
};

gpu_sdk::panic_handler!();

#[gpu_sdk::kernel]
pub fn gradient(width: i32) -> i32 {
    let (x, y) = (thread_id() % width, thread_id() / width);
    let colour = vec3f(x as f32, y as f32, time()) / width as f32;
    set_pixel(x, y, colour.x, colour.y, sin(colour.z), 1.0);
    0
}

#[gpu_sdk::kernel]
pub fn state(index: u32, scale: f64, by: i64) -> f32 {
    let index = index as i32;
    let old = atomic_add(index, read_input(index));
    write_state(index + 1, read_state(index + 1) + old);
    (f64::from(old) * scale) as f32 + by as f32
}

#[gpu_sdk::kernel]
pub fn copy() {
    let mut buffer = [0; 64];
    match read_file("from", &mut buffer).and_then(|read| write_file("to", &buffer[..read])) {
        Ok(bytes) => print_args(format_args!("{bytes} bytes")),
        Err(error) => panic!("{error}"),
    }
}

/// One instruction of wasm32 for each function.
#[gpu_sdk::kernel]
pub fn rounded(x: f32) -> f32 {
    floor(x) + round(x) * trunc(x) - sqrt(x)
}

#[gpu_sdk::kernel]
pub fn inverse_root(x: f32) -> f32 {
    inverse_sqrt(x)
}
