//! A program as words, and where a thread keeps what.
//!
//! In: a [`Bytecode`]. Out: the words of the program's buffer and [`Params`] that say where in them,
//! and in a thread's words, everything lies. What always holds: a thread's words are its header, the
//! sizes of memories and tables, the flags of dropped segments, globals, tables, and the stack.

use crate::bytecode::{Bytecode, Host, Limits, Op};

use super::params::Params;

/// Words of a thread's header.
pub(super) const HEADER: u32 = 12;
/// Elements that a table can grow by, where its program has the instruction.
const TABLE_GROWTH: u32 = 1 << 12;

/// The header's words.
pub(super) const H_STATUS: u32 = 2;
pub(super) const H_TRAP: u32 = 3;
pub(super) const H_RUN: u32 = 7;
pub(super) const H_WANTED: u32 = 9;

/// A program as the kernel reads it.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The words of the program's buffer.
    pub(super) words: Vec<u32>,
    /// Places that depend on the program only.
    pub(super) params: Params,
    /// Words of a thread without its stack.
    pub(super) thread_words: u32,
    /// Room for elements of each table.
    pub(super) table_room: Vec<u32>,
    /// Whether the queue is used.
    pub(super) uses_queue: bool,
}

impl Layout {
    pub(super) fn new(program: &Bytecode) -> Self {
        let mut words = program.code.clone();
        let mut params = Params {
            functions: word_count(&words),
            ..Params::default()
        };
        for function in &program.functions {
            words.extend([function.entry, function.frame, function.type_index]);
        }
        params.segments = word_count(&words);
        // Flags of elements begin in a word of their own, so that those of data can become more.
        let data_segments = program.data.len().next_multiple_of(32);
        let segments = data_segments + program.elements.len();
        params.data_segments = count(data_segments);
        let table = words.len();
        words.resize(table + 2 * segments, 0);
        let mut row = table;
        for data in &program.data {
            words[row] = word_count(&words);
            words[row + 1] = count(data.len());
            row += 2;
            words.extend(packed(data));
        }
        row = table + 2 * data_segments;
        for elements in &program.elements {
            words[row] = word_count(&words);
            words[row + 1] = count(elements.len());
            row += 2;
            words.extend(elements);
        }
        let grows = contains(program, |word| word & 0xff == Op::TableGrow as u32);
        let table_room: Vec<_> = program
            .tables
            .iter()
            .map(|table| room(table, grows))
            .collect();
        params.table_places = word_count(&words);
        let mut tables = 0;
        for &room in &table_room {
            words.extend([tables, room]);
            tables += room;
        }

        params.memories = count(program.memories.len()).max(1);
        params.sizes = HEADER;
        params.dropped = params.sizes + params.memories + count(program.tables.len());
        params.globals = params.dropped + count(segments.div_ceil(32));
        params.tables = params.globals + program.globals;
        params.stack = params.tables + tables;
        params.statics = program.statics[0] & !3;
        params.group_words = program.statics[1].saturating_sub(params.statics) / 4;
        let is_queue = |word: u32| {
            let host = word >> 16;
            let queue = [Host::QueuePop, Host::QueuePush];
            word & 0xff == Op::Host as u32 && queue.iter().any(|&one| one as u32 == host)
        };
        Self {
            words,
            params,
            thread_words: params.stack,
            table_room,
            uses_queue: contains(program, is_queue),
        }
    }

    /// The words behind the header that a fresh instance has, as far as they are not zero.
    pub(super) fn first_sizes(&self, program: &Bytecode) -> Vec<u32> {
        let memories = program.memories.iter().map(|limits| limits.initial);
        let mut sizes: Vec<_> = memories.collect();
        sizes.resize(self.params.memories as usize, 0);
        sizes.extend(program.tables.iter().map(|limits| limits.initial));
        sizes
    }
}

/// Whether a word of the code looks like this; constants may look so too.
fn contains(program: &Bytecode, is_it: impl Fn(u32) -> bool) -> bool {
    program.code.iter().any(|&word| is_it(word))
}

fn room(table: &Limits, grows: bool) -> u32 {
    let growth = if grows { TABLE_GROWTH } else { 0 };
    let most = table.maximum.unwrap_or(u32::MAX);
    table
        .initial
        .saturating_add(growth)
        .min(most.max(table.initial))
}

/// A buffer's index is a word: longer things are refused when buffers are made.
pub(super) fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn word_count(words: &[u32]) -> u32 {
    count(words.len())
}

/// Bytes as words, low first, filled up with zeros.
pub(super) fn packed(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks(4).map(|chunk| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(word)
    })
}

/// The way back.
pub(super) fn unpacked(words: &[u32], length: usize) -> Vec<u8> {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.take(length).collect()
}
