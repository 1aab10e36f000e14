//! The work of the cases in plain Rust: rows in parallel with rayon, and loops over slices that LLVM vectorizes.

pub(crate) mod blur;
pub(crate) mod gray_scott;
pub(crate) mod heat;
pub(crate) mod life;
pub(crate) mod product;
pub(crate) mod sobel;
pub(crate) mod sums;

use rayon::prelude::*;

use crate::buffer::Buffer;

/// Rows that a task takes at least.
const ROWS: usize = 16;

/// Computes the rows of a matrix in parallel.
fn each_row<T: Send>(matrix: &mut [T], width: usize, row: impl Fn(usize, &mut [T]) + Sync) {
    matrix
        .par_chunks_mut(width)
        .enumerate()
        .with_min_len(ROWS)
        .for_each(|(y, cells)| row(y, cells));
}

/// Steps from buffer 0 to buffer 1, and then between buffers 1 and 2.
fn alternate(buffers: &mut [Buffer], steps: usize, step: impl Fn(&Buffer, &mut Buffer)) {
    let [start, a, b] = buffers else {
        unreachable!("the case has three buffers");
    };
    step(start, a);
    for number in 1..steps {
        match number % 2 {
            1 => step(a, b),
            _ => step(b, a),
        }
    }
}

/// A row, and the rows above and below it on a torus.
fn around<T>(matrix: &[T], y: usize, n: usize) -> [&[T]; 3] {
    [(y + n - 1) % n, y, (y + 1) % n].map(|y| &matrix[y * n..][..n])
}
