//! Run-time values, and memory with bounds-checked accesses.

use std::fmt::{self, Display, Formatter};

use super::InstructionError;
use crate::ir::{Context, Space};

/// The words of up to 16 lanes; the words of missing lanes are 0.
pub(super) type Words = [u32; 16];

/// A value at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuntimeValue {
    Word(u32),
    Pointer(Pointer),
    Lanes(Words),
    Mask(u32),
}

/// A pointer: a memory and a word index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    pub(super) region: MemoryRegion,
    /// The word index. A pointer may be out of bounds as long as it is not accessed.
    pub(super) word: i64,
}

/// The memory that a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryRegion {
    /// The buffer with this number.
    Buffer(u32),
    /// Workgroup memory.
    Workgroup,
    /// Immediate data.
    Immediates,
    /// Constant tables.
    Constants,
    /// The frame of a subgroup.
    Frame,
    /// The page of zeros.
    Zeros,
}

impl Pointer {
    /// The base address of a memory space.
    pub(super) fn to(space: Space) -> Self {
        let (region, word) = match space {
            Space::Buffer(number) => (MemoryRegion::Buffer(number), 0),
            Space::Workgroup => (MemoryRegion::Workgroup, 0),
            Space::Immediates => (MemoryRegion::Immediates, 0),
            Space::Constants => (MemoryRegion::Constants, 0),
            Space::Frame(offset) => (MemoryRegion::Frame, i64::from(offset / 4)),
        };
        Self { region, word }
    }

    /// The page of zeros.
    pub(super) const ZEROS: Self = Self {
        region: MemoryRegion::Zeros,
        word: 0,
    };

    /// The pointer plus a number of words.
    pub(super) fn advanced(self, words: i64) -> Self {
        let word = self.word.saturating_add(words);
        Self { word, ..self }
    }
}

/// The memory of a workgroup, except for the frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The buffers, by number.
    pub buffers: Vec<Vec<u32>>,
    /// Workgroup memory.
    pub workgroup: Vec<u32>,
    /// Immediate data.
    pub immediates: Vec<u32>,
    /// Constant tables.
    pub constants: Vec<u32>,
}

/// The page of zeros.
const ZEROS: [u32; Context::ZEROS / 4] = [0; Context::ZEROS / 4];

impl Memory {
    /// Loads the word at a pointer.
    pub(super) fn load(&self, frame: &[u32], pointer: Pointer) -> Result<u32, InstructionError> {
        let words = match pointer.region {
            MemoryRegion::Buffer(number) => self.buffers.get(number as usize).map(Vec::as_slice),
            MemoryRegion::Workgroup => Some(self.workgroup.as_slice()),
            MemoryRegion::Immediates => Some(self.immediates.as_slice()),
            MemoryRegion::Constants => Some(self.constants.as_slice()),
            MemoryRegion::Frame => Some(frame),
            MemoryRegion::Zeros => Some(ZEROS.as_slice()),
        };
        let words = words.unwrap_or_default();
        let index = usize::try_from(pointer.word).ok();
        let found = index.and_then(|index| words.get(index));
        found.copied().ok_or_else(|| outside(pointer, words.len()))
    }

    /// The word at a pointer, for a store.
    pub(super) fn word_mut<'m>(
        &'m mut self,
        frame: &'m mut [u32],
        pointer: Pointer,
    ) -> Result<&'m mut u32, InstructionError> {
        let words = match pointer.region {
            MemoryRegion::Buffer(number) => match self.buffers.get_mut(number as usize) {
                Some(buffer) => buffer,
                None => return Err(outside(pointer, 0)),
            },
            MemoryRegion::Workgroup => &mut self.workgroup,
            MemoryRegion::Frame => frame,
            MemoryRegion::Immediates | MemoryRegion::Constants | MemoryRegion::Zeros => {
                return Err(InstructionError::ReadOnly(pointer.region));
            }
        };
        let count = words.len();
        let index = usize::try_from(pointer.word).ok();
        let found = index.and_then(|index| words.get_mut(index));
        found.ok_or_else(|| outside(pointer, count))
    }
}

fn outside(pointer: Pointer, words: usize) -> InstructionError {
    let Pointer { region, word } = pointer;
    InstructionError::OutOfBounds {
        word,
        region,
        words,
    }
}

impl Display for MemoryRegion {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Buffer(number) => write!(f, "buffer {number}"),
            Self::Workgroup => f.write_str("the workgroup's memory"),
            Self::Immediates => f.write_str("the immediate data"),
            Self::Constants => f.write_str("the constants"),
            Self::Frame => f.write_str("the frame"),
            Self::Zeros => f.write_str("the page of zeros"),
        }
    }
}
