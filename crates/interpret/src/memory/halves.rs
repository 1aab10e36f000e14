//! 16-bit values in buffers and immediate data, where two share a word.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::{Memory, words};
use crate::bytecode::{Address, Reg, Run, Space};

/// The words that contain `n` 16-bit values from byte `byte` on, if all of them exist.
fn around<T>(memory: &[T], byte: usize, n: u32) -> Option<&[T]> {
    let end = byte.checked_add(n as usize * 2)?.div_ceil(4);
    words(memory, Some(byte / 4), (end - byte / 4) as u32)
}

/// The bit offset of value `index` in the word that contains it, and the index of that word.
fn word_and_shift(byte: usize, index: usize) -> (usize, usize) {
    let half = byte % 4 / 2 + index;
    (half % 2 * 16, half / 2)
}

fn replace(word: &AtomicU32, shift: usize, value: u32) {
    let changed = |old: u32| Some(old & !(0xffff << shift) | value << shift);
    // Atomic, since another thread may write the other half at the same time. It cannot fail.
    let _ = word.fetch_update(Relaxed, Relaxed, changed);
}

impl Memory<'_> {
    /// Loads a value that has 16-bit parts, each into a register of its own.
    #[inline(never)]
    pub(crate) fn load_halves(&self, r: &mut [u32], from: Address, dst: Reg, runs: &[Run]) {
        for run in runs {
            let from = from.plus(run.memory);
            let dst = dst + run.register;
            if !run.halves {
                self.load(r, from, dst, run.words);
                continue;
            }
            let byte = from.unit(r);
            let buffer = self.buffer(r, from.space).unwrap_or(&[]);
            let target = &mut r[dst as usize..(dst + run.words) as usize];
            target.fill(0);
            let Some(byte) = byte else { continue };
            let mut read = |word: &dyn Fn(usize) -> u32| {
                for (i, register) in target.iter_mut().enumerate() {
                    let (shift, at) = word_and_shift(byte, i);
                    *register = word(at) >> shift & 0xffff;
                }
            };
            match from.space {
                Space::Buffer(_) | Space::Element(_) => {
                    if let Some(source) = around(buffer, byte, run.words) {
                        read(&|at| source[at].load(Relaxed));
                    }
                }
                Space::Immediates => {
                    if let Some(source) = around(self.immediates, byte, run.words) {
                        read(&|at| source[at]);
                    }
                }
                // Packed: every value has a word of its own.
                Space::Registers | Space::Workgroup => {}
            }
        }
    }

    /// Stores a value that has 16-bit parts.
    #[inline(never)]
    pub(crate) fn store_halves(&mut self, r: &mut [u32], to: Address, src: Reg, runs: &[Run]) {
        for run in runs {
            let to = to.plus(run.memory);
            let src = src + run.register;
            if !run.halves {
                self.store(r, to, src, run.words);
                continue;
            }
            if let Some(memory) = self.buffer(r, to.space)
                && let Some(byte) = to.unit(r)
                && let Some(target) = around(memory, byte, run.words)
            {
                for i in 0..run.words as usize {
                    let (shift, at) = word_and_shift(byte, i);
                    replace(&target[at], shift, r[src as usize + i]);
                }
            }
        }
    }
}
