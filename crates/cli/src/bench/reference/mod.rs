//! Reference implementations of the benchmark kernels in plain Rust, at any size.
//!
//! In: the input of a task. Out: its result, or the digest of it. The code is slow and obvious.

pub(super) mod arithmetic;
pub(super) mod arrays;
pub(super) mod fft;
pub(super) mod images;
pub(super) mod neighbours;
pub(super) mod path_trace;
pub(super) mod ray_march;
pub(super) mod sorts;
pub(super) mod stencils;
pub(super) mod sums;
mod vector;

/// A pseudo-random sequence of 32-bit words.
pub(super) fn xorshift(seed: u32) -> impl Iterator<Item = u32> {
    let step = |word: &u32| {
        let mut word = *word;
        word ^= word << 13;
        word ^= word >> 17;
        word ^= word << 5;
        Some(word)
    };
    std::iter::successors(step(&seed), step)
}
