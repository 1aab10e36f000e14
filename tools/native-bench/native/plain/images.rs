//! Filters of pictures that continue with the pixels of their edges.

use super::each_row;
use crate::buffer::Buffer;

pub(crate) const WIDTH: usize = 2048;
pub(crate) const HEIGHT: usize = 2048;
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

/// A binomial blur, first in rows and then in columns.
pub(crate) fn blur(buffers: &mut [Buffer]) {
    let [source, rows, blurred] = buffers else {
        unreachable!("the case has three buffers");
    };
    blur_rows(source.floats(), rows.floats_mut());
    blur_columns(rows.floats(), blurred.floats_mut());
}

fn blur_rows(source: &[f32], target: &mut [f32]) {
    each_row(target, WIDTH, |y, row| {
        let source = &source[y * WIDTH..][..WIDTH];
        let clamped = |x: usize| {
            let tap = |k: usize| source[(x + k).saturating_sub(RADIUS).min(WIDTH - 1)];
            (0..TAPS).map(|k| WEIGHTS[k] * tap(k)).sum()
        };
        for x in (0..RADIUS).chain(WIDTH - RADIUS..WIDTH) {
            row[x] = clamped(x);
        }
        let inner = &mut row[RADIUS..WIDTH - RADIUS];
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
    each_row(target, WIDTH, |y, row| {
        let rows: [&[f32]; TAPS] = std::array::from_fn(|k| {
            let y = (y + k).saturating_sub(RADIUS).min(HEIGHT - 1);
            &source[y * WIDTH..][..WIDTH]
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

/// The strength of edges by Sobel's operator.
pub(crate) fn sobel(buffers: &mut [Buffer]) {
    let [image, edges] = buffers else {
        unreachable!("the case has two buffers");
    };
    let image = image.floats();
    each_row(edges.floats_mut(), WIDTH, |y, row| {
        let rows = [y.saturating_sub(1), y, (y + 1).min(HEIGHT - 1)];
        let rows = rows.map(|y| &image[y * WIDTH..][..WIDTH]);
        row[0] = edge(rows, [0, 0, 1]);
        for x in 1..WIDTH - 1 {
            row[x] = edge(rows, [x - 1, x, x + 1]);
        }
        row[WIDTH - 1] = edge(rows, [WIDTH - 2, WIDTH - 1, WIDTH - 1]);
    });
}

#[inline(always)]
fn edge([up, own, down]: [&[f32]; 3], [left, x, right]: [usize; 3]) -> f32 {
    let gx = up[right] + 2.0 * own[right] + down[right] - up[left] - 2.0 * own[left] - down[left];
    let gy = down[left] + 2.0 * down[x] + down[right] - up[left] - 2.0 * up[x] - up[right];
    (gx * gx + gy * gy).sqrt()
}
