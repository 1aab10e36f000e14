//! A binomial blur, first in rows and then in columns, of a picture that continues with the pixels of its edges.

use super::each_row;
use crate::buffer::Buffer;

pub(crate) const N: usize = 2048;
const RADIUS: usize = 4;
const TAPS: usize = 2 * RADIUS + 1;
const WEIGHTS: [f32; TAPS] = {
    let mut weights = [1.0, 8.0, 28.0, 56.0, 70.0, 56.0, 28.0, 8.0, 1.0];
    let mut k = 0;
    while k < TAPS {
        weights[k] /= 256.0;
        k += 1;
    }
    weights
};

pub(crate) fn run(buffers: &mut [Buffer]) {
    let [source, rows, blurred] = buffers else {
        unreachable!("the case has three buffers");
    };
    blur_rows(source.floats(), rows.floats_mut());
    blur_columns(rows.floats(), blurred.floats_mut());
}

fn blur_rows(source: &[f32], target: &mut [f32]) {
    each_row(target, N, |y, row| {
        let source = &source[y * N..][..N];
        let clamped = |x: usize| {
            let tap = |k: usize| source[(x + k).saturating_sub(RADIUS).min(N - 1)];
            (0..TAPS).map(|k| WEIGHTS[k] * tap(k)).sum()
        };
        for x in (0..RADIUS).chain(N - RADIUS..N) {
            row[x] = clamped(x);
        }
        let inner = &mut row[RADIUS..N - RADIUS];
        for (x, pixel) in inner.iter_mut().enumerate() {
            let mut sum = 0.0;
            for (k, weight) in WEIGHTS.iter().enumerate() {
                sum += weight * source[x + k];
            }
            *pixel = sum;
        }
    });
}

fn blur_columns(source: &[f32], target: &mut [f32]) {
    each_row(target, N, |y, row| {
        let rows: [&[f32]; TAPS] = std::array::from_fn(|k| {
            let y = (y + k).saturating_sub(RADIUS).min(N - 1);
            &source[y * N..][..N]
        });
        for (x, pixel) in row.iter_mut().enumerate() {
            let mut sum = 0.0;
            for (weight, source) in WEIGHTS.iter().zip(&rows) {
                sum += weight * source[x];
            }
            *pixel = sum;
        }
    });
}
