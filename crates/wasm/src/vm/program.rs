//! A program that is ready to run: each instruction with its handler and its operands apart.
//!
//! What always holds: every target is the position of an instruction. An instruction that needs more
//! than one constant is followed by entries that only carry data; nothing jumps there.

use std::slice::Iter;

use crate::bytecode::Bytecode;

use super::memory::Memory;
use super::thread::{Exit, Run};
use super::window::Window;

/// Runs an instruction and all that follow, until something happens that the thread's loop must see.
///
/// The last three are what is held of results. All arguments fit into registers.
pub(super) type Handler<M> =
    for<'a> fn(&'a Ins<M>, Rest<'a, M>, &mut Window, &mut Run<'a, M>, u64, f32, f64) -> Exit;

/// The entries behind the current instruction.
pub(super) type Rest<'a, M> = Iter<'a, Ins<M>>;

/// An instruction that is ready to run.
pub(super) struct Ins<M: Memory> {
    pub(super) handler: Handler<M>,
    pub(super) a: u8,
    pub(super) b: u8,
    pub(super) c: u8,
    /// Only where an entry stands for two instructions.
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

/// A function's place among the instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) pc: u32,
    pub(super) frame: u32,
    pub(super) type_index: u32,
}

/// A program that is ready to run.
pub(super) struct Program<M: Memory> {
    pub(super) code: Vec<Ins<M>>,
    /// For each of them the word it comes from.
    pub(super) words: Vec<u32>,
    pub(super) functions: Vec<Entry>,
    pub(super) source: Bytecode,
    /// Jumps and calls that a thread may make before others get their turn and the clock is read.
    pub(super) slice: u64,
}

/// Instructions of one slice. They take some 100 ms if each of them is a division.
const SLICE_INSTRUCTIONS: u64 = 1 << 23;

/// The most jumps and calls of one slice.
const MAX_SLICE: u64 = 1 << 20;

/// The jumps and calls of a slice. From one to the next there are at most the instructions of the longest function.
pub(super) fn slice(functions: &[Entry], instructions: usize) -> u64 {
    let mut starts: Vec<usize> = functions.iter().map(|it| it.pc as usize).collect();
    starts.push(instructions);
    starts.sort_unstable();
    let lengths = starts.windows(2).map(|it| it[1] - it[0]);
    let longest = lengths.max().unwrap_or(0).max(1) as u64;
    (SLICE_INSTRUCTIONS / longest).clamp(1, MAX_SLICE)
}
