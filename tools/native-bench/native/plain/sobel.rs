//! The strength of edges by Sobel's operator, in a picture that continues with the pixels of its edges.

use super::each_row;
use crate::buffer::Buffer;

pub(crate) const N: usize = 4096;

pub(crate) fn run(buffers: &mut [Buffer]) {
    let [image, edges] = buffers else {
        unreachable!("the case has two buffers");
    };
    let image = image.floats();
    each_row(edges.floats_mut(), N, |y, row| {
        let rows = [y.saturating_sub(1), y, (y + 1).min(N - 1)];
        let rows = rows.map(|y| &image[y * N..][..N]);
        row[0] = edge(rows, [0, 0, 1]);
        for x in 1..N - 1 {
            row[x] = edge(rows, [x - 1, x, x + 1]);
        }
        row[N - 1] = edge(rows, [N - 2, N - 1, N - 1]);
    });
}

#[inline(always)]
fn edge([up, own, down]: [&[f32]; 3], [left, x, right]: [usize; 3]) -> f32 {
    let gx = up[right] + 2.0 * own[right] + down[right] - up[left] - 2.0 * own[left] - down[left];
    let gy = down[left] + 2.0 * down[x] + down[right] - up[left] - 2.0 * up[x] - up[right];
    (gx * gx + gy * gy).sqrt()
}
