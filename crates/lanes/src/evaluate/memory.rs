//! Run-time values, and memory with bounds-checked accesses.

use crate::ir::{Context, Space};

/// The words of up to 16 lanes; the words of missing lanes are 0.
pub(super) type Words = [u32; 16];

/// A value at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Datum {
    Word(u32),
    Pointer(Pointer),
    Lanes(Words),
    Mask(u32),
}

/// A pointer: a memory and a word index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    pub(super) home: Home,
    /// The word index. A pointer may be out of bounds as long as it is not accessed.
    pub(super) word: i64,
}

/// The memory that a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    Buffer(u32),
    Workgroup,
    Immediates,
    Constants,
    Frame,
    Zeros,
}

impl Pointer {
    /// The base address of a memory space.
    pub(super) fn to(space: Space) -> Self {
        let (home, word) = match space {
            Space::Buffer(number) => (Home::Buffer(number), 0),
            Space::Workgroup => (Home::Workgroup, 0),
            Space::Immediates => (Home::Immediates, 0),
            Space::Constants => (Home::Constants, 0),
            Space::Frame(offset) => (Home::Frame, i64::from(offset / 4)),
        };
        Self { home, word }
    }

    /// The page of zeros.
    pub(super) const ZEROS: Self = Self {
        home: Home::Zeros,
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
    pub(super) fn load(&self, frame: &[u32], pointer: Pointer) -> Result<u32, String> {
        let words = match pointer.home {
            Home::Buffer(number) => self.buffers.get(number as usize).map(Vec::as_slice),
            Home::Workgroup => Some(self.workgroup.as_slice()),
            Home::Immediates => Some(self.immediates.as_slice()),
            Home::Constants => Some(self.constants.as_slice()),
            Home::Frame => Some(frame),
            Home::Zeros => Some(ZEROS.as_slice()),
        };
        let words = words.unwrap_or_default();
        let index = usize::try_from(pointer.word).ok();
        let found = index.and_then(|it| words.get(it));
        found.copied().ok_or_else(|| outside(pointer, words.len()))
    }

    /// The word at a pointer, for a store.
    pub(super) fn word_mut<'m>(
        &'m mut self,
        frame: &'m mut [u32],
        pointer: Pointer,
    ) -> Result<&'m mut u32, String> {
        let words = match pointer.home {
            Home::Buffer(number) => match self.buffers.get_mut(number as usize) {
                Some(buffer) => buffer,
                None => return Err(outside(pointer, 0)),
            },
            Home::Workgroup => &mut self.workgroup,
            Home::Frame => frame,
            Home::Immediates | Home::Constants | Home::Zeros => {
                return Err(format!("it writes to {}", named(pointer.home)));
            }
        };
        let count = words.len();
        let index = usize::try_from(pointer.word).ok();
        let found = index.and_then(|it| words.get_mut(it));
        found.ok_or_else(|| outside(pointer, count))
    }
}

fn outside(pointer: Pointer, words: usize) -> String {
    let (word, home) = (pointer.word, named(pointer.home));
    format!("it touches word {word} of {home}, which has {words}")
}

fn named(home: Home) -> String {
    match home {
        Home::Buffer(number) => format!("buffer {number}"),
        Home::Workgroup => "the workgroup's memory".to_owned(),
        Home::Immediates => "the immediate data".to_owned(),
        Home::Constants => "the constants".to_owned(),
        Home::Frame => "the frame".to_owned(),
        Home::Zeros => "the page of zeros".to_owned(),
    }
}
