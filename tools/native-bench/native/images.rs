//! Filters of pictures.

use crate::buffer::{Buffer, random};
use crate::case::Case;
use crate::engine::{Engine, Pass};
use crate::plain;
use crate::plain::images::{HEIGHT, WIDTH};

const PIXELS: usize = WIDTH * HEIGHT;

/// Pixels of whole brightnesses from 0 to 255.
fn picture() -> Buffer {
    Buffer::of_floats(PIXELS, |i| (random(i) >> 24) as f32)
}

pub(crate) fn cases(engine: &Engine) -> Vec<Case> {
    vec![blur(engine), sobel(engine)]
}

fn blur(engine: &Engine) -> Case {
    let shaders = [
        include_str!("../../../crates/cli/benches/kernels/blur_x.wgsl"),
        include_str!("../../../crates/cli/benches/kernels/blur_y.wgsl"),
    ];
    let pass = |kernel| Pass {
        kernel,
        buffers: vec![kernel, kernel + 1],
        grid: [WIDTH as u32 / 16, HEIGHT as u32 / 16],
    };
    Case {
        name: "blur",
        buffers: vec![picture(), Buffer::zeros(PIXELS), Buffer::zeros(PIXELS)],
        result: |buffers| buffers[2].floats().to_vec(),
        tolerance: 0.0,
        sides: vec![
            ("anywarp", engine.work(&shaders, vec![pass(0), pass(1)])),
            ("plain Rust", Box::new(plain::images::blur)),
        ],
    }
}

fn sobel(engine: &Engine) -> Case {
    let text = include_str!("../../../crates/cli/benches/kernels/sobel.wgsl");
    let pass = Pass {
        kernel: 0,
        buffers: vec![0, 1],
        grid: [WIDTH as u32 / 8, HEIGHT as u32 / 8],
    };
    Case {
        name: "sobel",
        buffers: vec![picture(), Buffer::zeros(PIXELS)],
        result: |buffers| buffers[1].floats().to_vec(),
        tolerance: 1e-6,
        sides: vec![
            ("anywarp", engine.work(&[text], vec![pass])),
            ("plain Rust", Box::new(plain::images::sobel)),
        ],
    }
}
