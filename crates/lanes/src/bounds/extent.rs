//! The size of each memory that a function accesses.
//!
//! Sizes are constants, or lengths that are known at run time: [`Op::Length`](crate::ir::Op::Length) of a buffer, or the
//! length in an entry of an array of bindings.

use std::mem::offset_of;

use crate::ir::{BufferEntry, TextureLevelEntry};

use super::linear::Linear;

/// Words of a [`BufferEntry`].
pub(super) const ENTRY_WORDS: u32 = (size_of::<BufferEntry>() / 4) as u32;

/// The word of a [`BufferEntry`] that has the buffer's length.
pub(super) const ENTRY_LENGTH: u32 = (offset_of!(BufferEntry, words) / 4) as u32;

/// Words of a [`TextureLevelEntry`].
pub(super) const LEVEL_WORDS: u32 = (size_of::<TextureLevelEntry>() / 4) as u32;

/// The word of a [`TextureLevelEntry`] at which the entry of its table begins.
pub(super) const LEVEL_TABLE: u32 = (offset_of!(TextureLevelEntry, table) / 4) as u32;

/// Words of the table of a [`TextureLevelEntry`].
pub(super) const TABLE_WORDS: u32 = 256;

/// The contents of a buffer of the code, and its smallest size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferExtent {
    /// The words of a binding, or of a texture level: at least this many.
    Words(u32),
    /// The entries of an array of bindings, and one more without words. Each of the others has at least this many words.
    Entries(u32),
    /// The entry of a texture level.
    Level,
}

/// The sizes of the memories that the functions of a kernel access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extents {
    /// By buffer number.
    pub buffers: Vec<BufferExtent>,
    /// Words of workgroup memory.
    pub workgroup_words: u32,
    /// Words of immediate data.
    pub immediate_words: u32,
    /// Words of constant tables.
    pub constant_words: u32,
    /// Bytes of the frame that host calls write.
    pub host_rows: std::ops::Range<u32>,
    /// Subgroups of a workgroup, if known.
    pub subgroups: Option<u32>,
}

/// A length that is known at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Buffer(u32),
    /// Of the buffer whose entry begins at a word of a table, by the table's number.
    Entry(u32, Linear),
}

/// The words of a memory.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    /// The number of words that always exist.
    pub(super) at_least: u64,
    /// The number of words as a run-time length, and a constant that is added to it.
    pub(super) length: Option<(Length, u32)>,
}

impl Extent {
    pub(super) fn words(words: u64) -> Self {
        Self {
            at_least: words,
            length: None,
        }
    }
}
