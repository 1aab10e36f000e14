//! Filters of pictures.

use crate::buffer::{Buffer, random};
use crate::case::Case;
use crate::engine::{Engine, Pass};
use crate::plain;

/// Pixels of whole brightnesses from 0 to 255.
fn picture(n: usize) -> Buffer {
    Buffer::of_floats(n * n, |i| (random(i) >> 24) as f32)
}

pub(crate) fn cases(engine: &Engine) -> Vec<Case> {
    vec![blur(engine), sobel(engine)]
}

fn blur(engine: &Engine) -> Case {
    const N: usize = plain::blur::N;
    let shaders = [
        include_str!("../../../crates/cli/benches/kernels/blur_x.wgsl"),
        include_str!("../../../crates/cli/benches/kernels/blur_y.wgsl"),
    ];
    let pass = |kernel| Pass {
        kernel,
        buffers: vec![kernel, kernel + 1],
        grid: [N as u32 / 16; 2],
    };
    Case {
        name: "blur",
        buffers: vec![picture(N), Buffer::zeros(N * N), Buffer::zeros(N * N)],
        result: |buffers| buffers[2].floats().to_vec(),
        tolerance: 0.0,
        sides: vec![
            ("anywarp", engine.work(&shaders, vec![pass(0), pass(1)])),
            ("plain Rust", Box::new(plain::blur::run)),
        ],
    }
}

fn sobel(engine: &Engine) -> Case {
    const N: usize = plain::sobel::N;
    let text = include_str!("../../../crates/cli/benches/kernels/sobel.wgsl");
    let pass = Pass {
        kernel: 0,
        buffers: vec![0, 1],
        grid: [N as u32 / 8; 2],
    };
    Case {
        name: "sobel",
        buffers: vec![picture(N), Buffer::zeros(N * N)],
        result: |buffers| buffers[1].floats().to_vec(),
        tolerance: 1e-6,
        sides: vec![
            ("anywarp", engine.work(&[text], vec![pass])),
            ("plain Rust", Box::new(plain::sobel::run)),
        ],
    }
}
