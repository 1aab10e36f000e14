//! Kernels as a user writes them: neither the standard library nor an allocator on wasm32.

#![no_std]

use gpu_sdk::prelude::*;
use gpu_sdk::{
    atomic_add, print_args, queue_pop, queue_push, read_file, read_input, read_state,
    workgroup_uniform_load, write_file, write_state,
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

/// An element of a buffer, laid out as in WGSL.
#[derive(Clone, Copy, HostShareable)]
struct Particle {
    position: Vec3f,
    mass: f32,
}

static PARTICLES: Binding<Particle> = Binding::new(0, 1);
static COUNTS: Binding<u32> = Binding::new(1, 0);

workgroup! {
    static TILE: [f32; 64];
    static BINS: [i32; 4];
    static TOTAL: f32;
}

/// The sum of the masses of a workgroup's particles.
#[gpu_sdk::kernel]
pub fn masses() -> f32 {
    let (i, local) = (global_invocation_id().x, local_invocation_index() as usize);
    let mut particle = PARTICLES.load(i);
    TILE.store(local, particle.mass);
    BINS.atomic_max(local % 4, local as i32);
    let (_, is_first) = BINS.atomic_compare_exchange_weak(3, 0, 1);
    workgroup_barrier();
    if local_invocation_id().x == 0 {
        let all = 0..workgroup_size().x as usize;
        TOTAL.set(all.map(|i| TILE.load(i)).sum());
    }
    let total = workgroup_uniform_load(&TOTAL);
    particle.position *= total + BINS.load(0) as f32;
    PARTICLES.store(i, particle);
    storage_barrier();
    let group = workgroup_id().x;
    if is_first && group < num_workgroups().x {
        COUNTS.atomic_min(group, PARTICLES.len());
        COUNTS.atomic_compare_exchange_weak(group, 0, 1);
    }
    total
}

/// Takes work, and halves it until it is done.
#[gpu_sdk::kernel]
pub fn work() -> u32 {
    let mut done = 0;
    while let Some(item) = queue_pop() {
        done += 1;
        if item > 1 {
            queue_push(item / 2);
        }
    }
    done
}
