//! The product of two matrices by tiles, next to plain Rust and to the crate `matrixmultiply`.

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2};

use crate::buffer::{Buffer, unit};
use crate::case::Case;
use crate::engine::{Engine, Pass};
use crate::plain;
use crate::plain::product::{N, sides};

pub(crate) fn cases(engine: &Engine) -> Vec<Case> {
    let text = include_str!("../../../crates/cli/benches/kernels/matmul_tiled.wgsl");
    let pass = Pass {
        kernel: 0,
        buffers: vec![0, 1, 2],
        grid: [N as u32 / 16; 2],
    };
    vec![Case {
        name: "matmul_tiled",
        buffers: vec![
            Buffer::of_floats(N * N, unit),
            Buffer::of_floats(N * N, |i| unit(i + N * N)),
            Buffer::zeros(N * N),
        ],
        result: |buffers| buffers[2].floats().to_vec(),
        tolerance: 1e-4,
        sides: vec![
            ("anywarp", engine.work(&[text], vec![pass])),
            ("plain Rust", Box::new(plain::product::run)),
            ("matrixmultiply", Box::new(matrixmultiply)),
        ],
    }]
}

/// By the crate `matrixmultiply`, through `ndarray`. The variable `MATMUL_NUM_THREADS` is its number of threads.
fn matrixmultiply(buffers: &mut [Buffer]) {
    let (a, b, c) = sides(buffers);
    let view = |numbers| ArrayView2::from_shape((N, N), numbers).expect("N rows of N");
    let mut c = ArrayViewMut2::from_shape((N, N), c).expect("N rows of N");
    general_mat_mul(1.0, &view(a), &view(b), 0.0, &mut c);
}
