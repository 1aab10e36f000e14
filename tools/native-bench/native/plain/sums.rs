//! Sums of chunks.

use rayon::prelude::*;

use crate::buffer::Buffer;

/// Additions of floats must keep their order, so it is written down that they are 64 sums.
fn sum(chunk: &[f32]) -> f32 {
    let mut sums = [0.0; 64];
    let (rows, rest) = chunk.as_chunks::<64>();
    for row in rows {
        for (sum, number) in sums.iter_mut().zip(row) {
            *sum += number;
        }
    }
    sums.iter().chain(rest).sum()
}

pub(crate) fn chunks(buffers: &mut [Buffer]) {
    let [numbers, sums] = buffers else {
        unreachable!("the case has two buffers");
    };
    let sums = sums.floats_mut();
    let chunk = numbers.floats().len() / sums.len();
    let chunks = numbers.floats().par_chunks(chunk);
    sums.par_iter_mut()
        .zip(chunks)
        .for_each(|(place, chunk)| *place = sum(chunk));
}
