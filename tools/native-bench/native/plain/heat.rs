//! The heat equation on a plate whose border keeps its temperature.

use super::{alternate, around, each_row};
use crate::buffer::Buffer;

pub(crate) const N: usize = 1024;
pub(crate) const STEPS: usize = 100;

pub(crate) fn run(buffers: &mut [Buffer]) {
    alternate(buffers, STEPS, |now, next| {
        step(now.floats(), next.floats_mut());
    });
}

fn step(now: &[f32], next: &mut [f32]) {
    each_row(next, N, |y, row| {
        if (1..N - 1).contains(&y) {
            let [up, own, down] = around(now, y, N);
            for x in 1..N - 1 {
                let sum = own[x - 1] + own[x + 1] + up[x] + down[x];
                row[x] = own[x] + 0.2 * (sum - 4.0 * own[x]);
            }
        }
    });
}
