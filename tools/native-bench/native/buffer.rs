//! Buffers that the engine and plain Rust share: words from the beginning of a cache line on.

use bytemuck::{Pod, Zeroable};

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u32; 16]);

/// A buffer of 32-bit words.
#[derive(Clone)]
pub(crate) struct Buffer {
    lines: Vec<Line>,
    count: usize,
}

impl Buffer {
    pub(crate) fn zeros(count: usize) -> Self {
        Self {
            lines: vec![Line([0; 16]); count.div_ceil(16)],
            count,
        }
    }

    /// A buffer of floats, each computed from its index.
    pub(crate) fn of_floats(count: usize, float: impl Fn(usize) -> f32) -> Self {
        let mut buffer = Self::zeros(count);
        for (i, number) in buffer.floats_mut().iter_mut().enumerate() {
            *number = float(i);
        }
        buffer
    }

    /// A buffer of integers, each computed from its index.
    pub(crate) fn of_words(count: usize, word: impl Fn(usize) -> u32) -> Self {
        let mut buffer = Self::zeros(count);
        for (i, number) in buffer.words_mut().iter_mut().enumerate() {
            *number = word(i);
        }
        buffer
    }

    pub(crate) fn words(&self) -> &[u32] {
        &bytemuck::cast_slice(&self.lines)[..self.count]
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u32] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.count]
    }

    pub(crate) fn floats(&self) -> &[f32] {
        bytemuck::cast_slice(self.words())
    }

    pub(crate) fn floats_mut(&mut self) -> &mut [f32] {
        bytemuck::cast_slice_mut(self.words_mut())
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(self.words_mut())
    }
}

/// A pseudo-random word for an index, by the finalizer of MurmurHash3.
pub(crate) fn random(i: usize) -> u32 {
    let mut word = i as u32 ^ 0x5bd1_e995;
    word = (word ^ (word >> 16)).wrapping_mul(0x85eb_ca6b);
    word = (word ^ (word >> 13)).wrapping_mul(0xc2b2_ae35);
    word ^ (word >> 16)
}

/// A pseudo-random float from 0 up to, but not including, 1.
pub(crate) fn unit(i: usize) -> f32 {
    (random(i) >> 8) as f32 / (1 << 24) as f32
}
