//! The first way: kernels as native Rust functions, called by a dispatch.

use gpu_sdk::host::Launch;

use crate::Words;
use crate::case::{Case, Data, STEPS};
use crate::data::{resources, result};

/// Runs a case natively.
#[must_use]
pub fn native(case: &Case) -> Words {
    let (workgroups, size) = case.grid();
    let mut data = resources(case);
    let launch = Launch::new()
        .workgroups([workgroups, 1, 1])
        .workgroup_size([size, 1, 1]);
    if let Err(error) = launch.run(&mut data, || call(case)) {
        panic!("{error}");
    }
    result(case, &data)
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
