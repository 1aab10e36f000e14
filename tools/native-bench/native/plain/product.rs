//! The product of two matrices, row by row: each row of the result sums rows of the second factor.

use super::each_row;
use crate::buffer::Buffer;

pub(crate) const N: usize = 512;

/// The factors and the product.
pub(crate) fn sides(buffers: &mut [Buffer]) -> (&[f32], &[f32], &mut [f32]) {
    let [a, b, c] = buffers else {
        unreachable!("the case has three buffers");
    };
    (a.floats(), b.floats(), c.floats_mut())
}

pub(crate) fn run(buffers: &mut [Buffer]) {
    let (a, b, c) = sides(buffers);
    each_row(c, N, |y, row| {
        row.fill(0.0);
        for (factor, b) in a[y * N..][..N].iter().zip(b.chunks_exact(N)) {
            for (sum, number) in row.iter_mut().zip(b) {
                *sum = add_product(*sum, *factor, *number);
            }
        }
    });
}

/// `sum + a * b`, fused where the target has an instruction for it.
fn add_product(sum: f32, a: f32, b: f32) -> f32 {
    if cfg!(target_feature = "fma") {
        a.mul_add(b, sum)
    } else {
        sum + a * b
    }
}
