//! Buffer layout: the program buffer, and the state of a thread.
//!
//! In: a [`Bytecode`]. Out: the words of the program buffer, and [`Params`] with the offsets in it
//! and in a thread's state. What always holds: a thread's state is its header, the sizes of
//! memories and tables, the dropped flags of segments, globals, tables, and the stack, in this
//! order.

use crate::bytecode::{Bytecode, Host, Instruction, Limits, Op};
use crate::runtime::LaunchError;

use super::params::Params;
use super::protocol::HEADER;
use crate::runtime::too_large;

/// Elements by which a table can grow, if its program has `table.grow`.
const TABLE_GROWTH: u32 = 1 << 12;

/// A program in the encoding of the interpreter.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The words of the program buffer.
    pub(super) words: Vec<u32>,
    /// The offsets that depend on the program only.
    pub(super) params: Params,
    /// Words of a thread's state without its stack.
    pub(super) thread_words: u32,
    /// Capacity of each table, in elements.
    pub(super) table_capacity: Vec<u32>,
    /// The features that the program uses.
    pub(super) uses: UsedFeatures,
}

/// The features that a program uses, from a scan of its code.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UsedFeatures {
    /// Whether it grows tables.
    table_growth: bool,
    /// Whether it uses the work queue.
    pub(super) queue: bool,
    /// Whether it waits for work items.
    pub(super) work: bool,
    /// Whether it uses workgroup memory.
    workgroup_memory: bool,
}

impl UsedFeatures {
    fn of(program: &Bytecode) -> Self {
        let mut uses = Self::default();
        let mut at = 0;
        while at < program.code.len() {
            let Ok(instruction) = Instruction::read(&program.code, at) else {
                at += 1;
                continue;
            };
            at += instruction.words();
            uses.table_growth |= instruction.op == Op::TableGrow;
            if instruction.op == Op::Host {
                uses.add_host(Host::from_number(instruction.number()));
            }
        }
        uses
    }

    fn add_host(&mut self, host: Option<Host>) {
        match host {
            Some(Host::QueuePop) => (self.queue, self.work) = (true, true),
            Some(Host::QueuePush) => self.queue = true,
            Some(
                Host::WorkgroupLoad
                | Host::WorkgroupStore
                | Host::WorkgroupAtomic
                | Host::WorkgroupCompareExchange,
            ) => self.workgroup_memory = true,
            _ => {}
        }
    }
}

impl Layout {
    /// All offsets are 32-bit words, as in the WGSL code; a thread whose state is larger is an
    /// error.
    pub(super) fn new(program: &Bytecode) -> Result<Self, LaunchError> {
        let mut words = program.code.clone();
        let mut params = Params {
            functions: word_count(&words),
            ..Params::default()
        };
        for function in &program.functions {
            words.extend([function.entry, function.frame, function.type_index]);
        }
        params.segments = word_count(&words);
        params.data_segments = add_segments(program, &mut words);
        let uses = UsedFeatures::of(program);
        let table_capacity: Vec<_> = program
            .tables
            .iter()
            .map(|table| table_capacity(table, uses.table_growth))
            .collect();
        params.table_rows = word_count(&words);
        let mut tables = 0_u64;
        for &capacity in &table_capacity {
            words.extend([thread_offset(tables)?, capacity]);
            tables += u64::from(capacity);
        }
        set_thread_offsets(program, tables, &mut params)?;
        params.statics = program.statics[0] & !3;
        if uses.workgroup_memory {
            params.group_words = program.statics[1].saturating_sub(params.statics) / 4;
        }
        Ok(Self {
            words,
            params,
            thread_words: params.stack,
            table_capacity,
            uses,
        })
    }

    /// The initial sizes of memories and tables: the non-zero words after the header of a new
    /// thread.
    pub(super) fn first_sizes(&self, program: &Bytecode) -> Vec<u32> {
        let memories = program.memories.iter().map(|limits| limits.initial);
        let mut sizes: Vec<_> = memories.collect();
        sizes.resize(self.params.memories as usize, 0);
        sizes.extend(program.tables.iter().map(|limits| limits.initial));
        sizes
    }
}

/// Adds the segments: a table with the first word and the length of each, then their contents.
/// Returns how many rows of the table are for data segments.
fn add_segments(program: &Bytecode, words: &mut Vec<u32>) -> u32 {
    // Flags of element segments begin at a word boundary, so that data segments can be added
    // later.
    let data_segments = program.data.len().next_multiple_of(32);
    let segments = data_segments + program.elements.len();
    let table = words.len();
    words.resize(table + 2 * segments, 0);
    let mut row = table;
    for data in &program.data {
        words[row] = word_count(words);
        words[row + 1] = count(data.len());
        row += 2;
        words.extend(packed(data));
    }
    row = table + 2 * data_segments;
    for elements in &program.elements {
        words[row] = word_count(words);
        words[row + 1] = count(elements.len());
        row += 2;
        words.extend(elements);
    }
    count(data_segments)
}

/// Sets the offsets in a thread's state, given the elements of all its tables.
fn set_thread_offsets(
    program: &Bytecode,
    tables: u64,
    params: &mut Params,
) -> Result<(), LaunchError> {
    let segments = params.data_segments as usize + program.elements.len();
    params.memories = count(program.memories.len()).max(1);
    params.sizes = HEADER;
    let dropped = u64::from(params.sizes + params.memories) + program.tables.len() as u64;
    let globals = dropped + segments.div_ceil(32) as u64;
    let first_table = globals + u64::from(program.globals);
    params.dropped = thread_offset(dropped)?;
    params.globals = thread_offset(globals)?;
    params.tables = thread_offset(first_table)?;
    params.stack = thread_offset(first_table + tables)?;
    Ok(())
}

/// An offset in a thread's state, which must fit into a word.
fn thread_offset(words: u64) -> Result<u32, LaunchError> {
    let max = u64::from(u32::MAX);
    u32::try_from(words).map_err(|_| too_large("a thread's state", words * 4, max * 4))
}

fn table_capacity(table: &Limits, grows: bool) -> u32 {
    let growth = if grows { TABLE_GROWTH } else { 0 };
    let max = table.maximum.unwrap_or(u32::MAX);
    table
        .initial
        .saturating_add(growth)
        .min(max.max(table.initial))
}

/// Converts a length. Longer lists are rejected when buffers are created.
pub(super) fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn word_count(words: &[u32]) -> u32 {
    count(words.len())
}

/// Packs bytes into little-endian words, padded with zeros.
pub(super) fn packed(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks(4).map(|chunk| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(word)
    })
}

/// The inverse of [`packed`].
pub(super) fn unpacked(words: &[u32], length: usize) -> impl Iterator<Item = u8> {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.take(length)
}
