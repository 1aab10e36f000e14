//! The first way: kernels as native Rust functions, called by a dispatch.

use gpu_sdk::host::Host;

use crate::Words;
use crate::case::{CLOCK, Case, Data, STEPS};

/// Runs a case natively.
#[must_use]
pub fn native(case: &Case) -> Words {
    let mut host = Host::builder().clock(CLOCK);
    if let Data::Picture { width, height } = case.data {
        host = host.pixels(width, height);
    }
    for (group, binding, words) in case.buffers() {
        host = host.buffer_words(group, binding, &words);
    }
    let host = host.build();
    let (workgroups, size) = case.grid();
    host.dispatch_workgroups((workgroups, 1, 1), (size, 1, 1), |_| call(case));
    match case.result() {
        Some((group, binding)) => host.buffer_words(group, binding),
        None => host
            .pixels()
            .into_iter()
            .flat_map(|pixel| pixel.to_array())
            .map(f32::to_bits)
            .collect(),
    }
}

/// Calls the kernel of a case.
fn call(case: &Case) {
    let (width, height) = match case.data {
        Data::Picture { width, height } => (width as i32, height as i32),
        Data::Messages(_) | Data::Tiles(_) => (0, 0),
    };
    match case.kernel {
        "gradient" => kernels::gradient(width, height),
        "mandelbrot" => {
            kernels::mandelbrot(width, height, STEPS);
        }
        "ray_tracer" => kernels::ray_tracer(width, height),
        "sha256" => kernels::sha256(),
        "sort" => kernels::sort(),
        other => panic!("there is no kernel `{other}`"),
    }
}
