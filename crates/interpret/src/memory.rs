//! Every access to memory, in one place.
//!
//! What always holds: out-of-bounds reads give zero, out-of-bounds writes are dropped, nothing panics. Addresses
//! are computed in 64 bits before they are compared. Of a buffer view larger than [`MAX_BINDING_SIZE`], only that
//! much is accessible. A checker for data races and uninitialised reads would belong here.

mod atomic64;
mod halves;

use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use anywarp_program::units::{Bytes, MAX_BINDING_SIZE, Words};

pub(crate) use atomic64::change_pair;

use crate::AtomicOp;
use crate::bytecode::texture::BufferElement;
use crate::bytecode::{Address, OUT_OF_BOUNDS, Reg, Space};
use crate::{BufferView, SpuriousFailures, TextureView};

/// The memory that an invocation can access, besides its own registers.
pub(crate) struct Memory<'a> {
    pub(crate) buffers: &'a [BufferView<'a>],
    pub(crate) textures: &'a [TextureView<'a>],
    pub(crate) arrays: &'a [Range<u32>],
    pub(crate) elements: &'a [BufferElement],
    pub(crate) immediates: &'a [u32],
    pub(crate) workgroup: &'a mut [u32],
    /// Consulted before each compare-exchange.
    pub(crate) spurious_failures: Option<&'a SpuriousFailures>,
}

impl Address {
    /// The address `units` further on.
    pub(crate) fn plus(self, units: u32) -> Self {
        Self {
            offset: self.offset + units,
            ..self
        }
    }

    /// The index of the unit, or `None` if the address is out of bounds.
    fn unit(self, r: &[u32]) -> Option<usize> {
        match r[self.dynamic as usize] {
            OUT_OF_BOUNDS => None,
            dynamic => (dynamic as usize).checked_add(self.offset as usize),
        }
    }
}

/// The address of element `index` of an array at `base`; [`OUT_OF_BOUNDS`] if there is none, or `base` is that
/// already.
pub(crate) fn element(base: u32, index: u32, len: u32, stride: u32) -> u32 {
    if index >= len || base == OUT_OF_BOUNDS {
        return OUT_OF_BOUNDS;
    }
    let unit = u64::from(base) + u64::from(index) * u64::from(stride);
    // No memory has more units than 32 bits can count.
    u32::try_from(unit).unwrap_or(OUT_OF_BOUNDS)
}

/// `n` words from `first` on, if all of them exist.
fn words<T>(memory: &[T], first: Option<usize>, n: u32) -> Option<&[T]> {
    let first = first?;
    memory.get(first..first.checked_add(n as usize)?)
}

impl<'a> Memory<'a> {
    /// The index of an element of a binding array among the buffers or textures.
    pub(crate) fn array_element(&self, array: u16, index: u32) -> Option<u32> {
        let range = self.arrays.get(usize::from(array))?;
        let number = range.start.checked_add(index)?;
        (number < range.end).then_some(number)
    }

    /// The words of an element of an array of buffers; none if it is out of bounds.
    fn element(&self, r: &[u32], element: u16) -> &'a [AtomicU32] {
        let BufferElement { array, index } = self.elements[usize::from(element)];
        let number = self.array_element(array, r[index as usize]);
        let view = number.and_then(|number| self.buffers.get(number as usize));
        view.map_or(&[], |view| view.words)
    }

    /// The words of a buffer, single or in an array; `None` for other memory.
    fn buffer(&self, r: &[u32], space: Space) -> Option<&'a [AtomicU32]> {
        match space {
            Space::Buffer(index) => Some(self.buffers[usize::from(index)].words),
            Space::Element(element) => Some(self.element(r, element)),
            Space::Registers | Space::Workgroup | Space::Immediates => None,
        }
    }

    /// The length of a runtime-sized array at byte `start` of an element of an array of buffers.
    pub(crate) fn element_length(&self, r: &[u32], element: u16, start: u32, stride: u32) -> u32 {
        elements(self.element(r, element), start, stride)
    }

    /// The length of a runtime-sized array at byte `start` of a buffer.
    pub(crate) fn array_length(&self, buffer: u16, start: u32, stride: u32) -> u32 {
        elements(self.buffers[usize::from(buffer)].words, start, stride)
    }

    /// Reads `n` words into registers.
    pub(crate) fn load(&self, r: &mut [u32], from: Address, dst: Reg, n: u32) {
        let unit = from.unit(r);
        let target = dst as usize..(dst + n) as usize;
        match from.space {
            Space::Registers => match unit.map(|first| first..first + n as usize) {
                Some(source) if source.end <= r.len() => r.copy_within(source, dst as usize),
                _ => r[target].fill(0),
            },
            Space::Workgroup => match words(self.workgroup, unit, n) {
                Some(source) => r[target].copy_from_slice(source),
                None => r[target].fill(0),
            },
            Space::Buffer(index) => {
                load_words(self.buffers[usize::from(index)].words, unit, &mut r[target]);
            }
            Space::Element(element) => {
                load_words(self.element(r, element), unit, &mut r[target]);
            }
            Space::Immediates => match words(self.immediates, unit.map(|unit| unit / 4), n) {
                Some(source) => r[target].copy_from_slice(source),
                None => r[target].fill(0),
            },
        }
    }

    /// Writes `n` words from registers.
    pub(crate) fn store(&mut self, r: &mut [u32], to: Address, src: Reg, n: u32) {
        let unit = to.unit(r);
        let source = src as usize..(src + n) as usize;
        match to.space {
            Space::Registers => {
                if let Some(first) = unit
                    && first + n as usize <= r.len()
                {
                    r.copy_within(source, first);
                }
            }
            Space::Workgroup => {
                if let Some(first) = unit
                    && let Some(target) = self.workgroup.get_mut(first..first + n as usize)
                {
                    target.copy_from_slice(&r[source]);
                }
            }
            Space::Buffer(index) => {
                store_words(self.buffers[usize::from(index)].words, unit, &r[source]);
            }
            Space::Element(element) => store_words(self.element(r, element), unit, &r[source]),
            // Immediate data is read-only, which validation guarantees.
            Space::Immediates => {}
        }
    }

    /// An atomic operation on one word; out of bounds it reads as zero.
    pub(crate) fn atomic(
        &mut self,
        r: &mut [u32],
        op: AtomicOp,
        at: Address,
        dst: Reg,
        [value, compare]: [Reg; 2],
    ) {
        let unit = at.unit(r);
        let (value, compare) = (r[value as usize], r[compare as usize]);
        if op == AtomicOp::CompareExchange
            && let Some(failures) = self.spurious_failures
            && failures.strikes()
        {
            // A spurious failure is a load: the old value, and no exchange.
            self.load(r, at, dst, 1);
            r[dst as usize + 1] = 0;
            return;
        }
        let old = match at.space {
            Space::Buffer(_) | Space::Element(_) => {
                let memory = self.buffer(r, at.space);
                words(memory.unwrap_or(&[]), unit.map(|unit| unit / 4), 1)
                    .map(|word| shared(&word[0], op, value, compare))
            }
            // A workgroup runs on one thread, so its atomics need no atomic instruction.
            Space::Workgroup => unit
                .and_then(|unit| self.workgroup.get_mut(unit))
                .map(|word| std::mem::replace(word, changed(op, *word, value, compare))),
            Space::Registers | Space::Immediates => None,
        };
        r[dst as usize] = old.unwrap_or(0);
        if op == AtomicOp::CompareExchange {
            r[dst as usize + 1] = u32::from(old == Some(compare));
        }
    }
}

/// Loads words from byte `unit` on; zeros unless all of them exist.
#[inline(always)]
fn load_words(memory: &[AtomicU32], unit: Option<usize>, target: &mut [u32]) {
    match words(memory, unit.map(|unit| unit / 4), target.len() as u32) {
        Some(source) => {
            for (register, word) in target.iter_mut().zip(source) {
                *register = word.load(Relaxed);
            }
        }
        None => target.fill(0),
    }
}

/// Stores words from byte `unit` on, if all of them exist.
#[inline(always)]
fn store_words(memory: &[AtomicU32], unit: Option<usize>, source: &[u32]) {
    if let Some(target) = words(memory, unit.map(|unit| unit / 4), source.len() as u32) {
        for (word, register) in target.iter().zip(source) {
            word.store(*register, Relaxed);
        }
    }
}

fn elements(words: &[AtomicU32], start: u32, stride: u32) -> u32 {
    let Bytes(bytes) = Words::of(words).bytes().min(MAX_BINDING_SIZE);
    // The largest binding has less than 2^32 bytes, so the quotient fits.
    (bytes.saturating_sub(u64::from(start)) / u64::from(stride.max(1))) as u32
}

/// The new word after an atomic operation.
fn changed(op: AtomicOp, old: u32, value: u32, compare: u32) -> u32 {
    match op {
        AtomicOp::Add => old.wrapping_add(value),
        AtomicOp::Sub => old.wrapping_sub(value),
        AtomicOp::And => old & value,
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
        AtomicOp::MinI32 => (old as i32).min(value as i32) as u32,
        AtomicOp::MaxI32 => (old as i32).max(value as i32) as u32,
        AtomicOp::MinU32 => old.min(value),
        AtomicOp::MaxU32 => old.max(value),
        AtomicOp::AddF32 => (f32::from_bits(old) + f32::from_bits(value)).to_bits(),
        AtomicOp::SubF32 => (f32::from_bits(old) - f32::from_bits(value)).to_bits(),
        AtomicOp::Load => old,
        AtomicOp::Exchange => value,
        AtomicOp::CompareExchange if old == compare => value,
        AtomicOp::CompareExchange => old,
    }
}

/// An atomic operation on memory shared by threads; returns the old word.
pub(crate) fn shared(word: &AtomicU32, op: AtomicOp, value: u32, compare: u32) -> u32 {
    match op {
        AtomicOp::Add => word.fetch_add(value, Relaxed),
        AtomicOp::Exchange => word.swap(value, Relaxed),
        AtomicOp::CompareExchange => {
            match word.compare_exchange(compare, value, Relaxed, Relaxed) {
                Ok(old) | Err(old) => old,
            }
        }
        _ => word
            .fetch_update(Relaxed, Relaxed, |old| {
                Some(changed(op, old, value, compare))
            })
            .unwrap_or_else(|old| old),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_do_not_wrap() {
        assert_eq!(element(8, 3, 4, 16), 56);
        assert_eq!(element(8, 4, 4, 16), OUT_OF_BOUNDS);
        assert_eq!(element(OUT_OF_BOUNDS, 0, 4, 16), OUT_OF_BOUNDS);
        // An index of halves whose byte offset needs 33 bits, and a sum that does.
        assert_eq!(element(0, 0x8000_0001, u32::MAX, 2), OUT_OF_BOUNDS);
        assert_eq!(
            element(0x8000_0000, 0x4000_0000, u32::MAX, 2),
            OUT_OF_BOUNDS
        );
        assert_eq!(element(0, 0x7fff_fffe, u32::MAX, 2), 0xffff_fffc);
    }
}
