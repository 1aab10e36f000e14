//! The decoded program: direct-threaded code.
//!
//! What always holds: every jump target is the index of an instruction. An instruction with more
//! than one constant is followed by entries that only carry data; nothing jumps there.

use std::slice::Iter;
use std::sync::Arc;

use crate::bytecode::Bytecode;

use super::memory::Memory;
use super::thread::{Executor, Exit};
use super::window::Window;

/// The handler of an instruction: executes it and all that follow, until an event that the thread's
/// loop must handle.
///
/// The last three parameters are the results held in registers. All arguments fit into registers.
pub(super) type Handler<M> = for<'a> fn(
    &'a Ins<M>,
    InstructionStream<'a, M>,
    &mut Window,
    &mut Executor<'a, M>,
    u64,
    f32,
    f64,
) -> Exit;

/// The entries after the current instruction.
pub(super) type InstructionStream<'a, M> = Iter<'a, Ins<M>>;

/// A decoded instruction.
pub(super) struct Ins<M: Memory> {
    pub(super) handler: Handler<M>,
    pub(super) a: u8,
    pub(super) b: u8,
    pub(super) c: u8,
    /// Used only by superinstructions.
    pub(super) d: u8,
    pub(super) imm: u32,
}

impl<M: Memory> Ins<M> {
    /// `b` and `c` as one number.
    #[inline(always)]
    pub(super) fn number(&self) -> usize {
        usize::from(u16::from_le_bytes([self.b, self.c]))
    }

    /// `a`, `b` and `c` as one number.
    #[inline(always)]
    pub(super) fn base(&self) -> u32 {
        u32::from_le_bytes([self.a, self.b, self.c, 0])
    }
}

/// A function of the decoded program.
#[derive(Clone, Copy, Debug)]
pub(super) struct FunctionEntry {
    pub(super) pc: u32,
    pub(super) frame: u32,
    pub(super) type_index: u32,
}

/// A decoded program.
pub(super) struct Program<M: Memory> {
    pub(super) code: Vec<Ins<M>>,
    /// For each entry, the word of the bytecode that it comes from.
    pub(super) words: Vec<u32>,
    pub(super) functions: Vec<FunctionEntry>,
    pub(super) source: Arc<Bytecode>,
    /// Back edges and calls in a time slice, after which other threads run and the clock is read.
    pub(super) slice: u64,
}

/// Instructions of a time slice. They take some 100 ms if each of them is a division.
const SLICE_INSTRUCTIONS: u64 = 1 << 23;

/// Maximum back edges and calls of a time slice.
const MAX_SLICE: u64 = 1 << 20;

/// Back edges and calls of a time slice. Between two of them there are at most the instructions of
/// the longest function.
pub(super) fn slice(functions: &[FunctionEntry], instructions: usize) -> u64 {
    let mut starts: Vec<usize> = functions.iter().map(|entry| entry.pc as usize).collect();
    starts.push(instructions);
    starts.sort_unstable();
    let lengths = starts.windows(2).map(|pair| pair[1] - pair[0]);
    let longest = lengths.max().unwrap_or(0).max(1) as u64;
    (SLICE_INSTRUCTIONS / longest).clamp(1, MAX_SLICE)
}
