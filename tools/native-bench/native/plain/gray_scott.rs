//! The Gray-Scott model of reaction and diffusion on a torus.

use rayon::prelude::*;

use super::{ROWS, around};
use crate::buffer::Buffer;

pub(crate) const N: usize = 512;
pub(crate) const STEPS: usize = 100;
const FEED: f32 = 0.055;
const KILL: f32 = 0.062;

pub(crate) fn run(buffers: &mut [Buffer]) {
    let [u0, v0, u1, v1, u2, v2] = buffers else {
        unreachable!("the case has six buffers");
    };
    step([u0, v0], [u1, v1]);
    for number in 1..STEPS {
        match number % 2 {
            1 => step([u1, v1], [u2, v2]),
            _ => step([u2, v2], [u1, v1]),
        }
    }
}

fn step([u, v]: [&mut Buffer; 2], [next_u, next_v]: [&mut Buffer; 2]) {
    let (u, v) = (u.floats(), v.floats());
    let rows_u = next_u.floats_mut().par_chunks_mut(N);
    let rows_v = next_v.floats_mut().par_chunks_mut(N);
    let rows = rows_u.zip(rows_v).enumerate().with_min_len(ROWS);
    rows.for_each(|(y, (row_u, row_v))| {
        let fields = [around(u, y, N), around(v, y, N)];
        [row_u[0], row_v[0]] = cell(fields, [N - 1, 0, 1]);
        for x in 1..N - 1 {
            [row_u[x], row_v[x]] = cell(fields, [x - 1, x, x + 1]);
        }
        [row_u[N - 1], row_v[N - 1]] = cell(fields, [N - 2, N - 1, 0]);
    });
}

/// The next concentrations of a cell in the middle of three rows and three columns.
#[inline(always)]
fn cell([u, v]: [[&[f32]; 3]; 2], [left, x, right]: [usize; 3]) -> [f32; 2] {
    let spread =
        |[up, own, down]: [&[f32]; 3]| own[left] + own[right] + up[x] + down[x] - 4.0 * own[x];
    let (du, dv) = (spread(u), spread(v));
    let (u, v) = (u[1][x], v[1][x]);
    let reaction = u * v * v;
    [
        (u + 0.2 * du - reaction + FEED * (1.0 - u)).clamp(0.0, 1.0),
        (v + 0.1 * dv + reaction - (FEED + KILL) * v).clamp(0.0, 1.0),
    ]
}
