//! Conway's game of life on a torus.

use super::{alternate, around, each_row};
use crate::buffer::Buffer;

pub(crate) const N: usize = 1024;
pub(crate) const STEPS: usize = 50;

pub(crate) fn run(buffers: &mut [Buffer]) {
    alternate(buffers, STEPS, |now, next| {
        step(now.words(), next.words_mut());
    });
}

fn step(now: &[u32], next: &mut [u32]) {
    each_row(next, N, |y, row| {
        let rows = around(now, y, N);
        row[0] = cell(rows, [N - 1, 0, 1]);
        for x in 1..N - 1 {
            row[x] = cell(rows, [x - 1, x, x + 1]);
        }
        row[N - 1] = cell(rows, [N - 2, N - 1, 0]);
    });
}

/// The next state of a cell in the middle of three rows and three columns.
#[inline(always)]
fn cell(rows: [&[u32]; 3], [left, x, right]: [usize; 3]) -> u32 {
    let [up, own, down] = rows;
    let neighbours =
        up[left] + up[x] + up[right] + own[left] + own[right] + down[left] + down[x] + down[right];
    u32::from(neighbours == 3 || (neighbours == 2 && own[x] == 1))
}
