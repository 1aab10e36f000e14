//! The emitter's trace of the code: where each piece begins, and what it was emitted for.
//!
//! In: marks from `emit`, in the order of the bytes. Out: a [`Trace`]. The validator does not trust it: pieces that do
//! not cover the code in the order of the machine function are an error.

use regalloc2::Inst;

/// A contiguous range of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeRange {
    /// Saves registers and allocates the stack frame.
    Prologue,
    /// `nop` in front of a loop.
    Padding,
    /// The beginning of a block, by number; it has no bytes of its own.
    Block(u32),
    /// The items of one group.
    Group(Inst),
    /// Moves of the register allocator.
    Moves,
    /// The epilogue that returns share.
    Epilogue,
    /// The cold code of one group.
    Cold(Inst),
    /// Returns the outcome of a cancelled run.
    Exit,
}

/// Where each piece begins; it ends where the next one begins.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(super) marks: Vec<(u32, CodeRange)>,
}

impl Trace {
    pub(in super::super) fn mark(&mut self, at: usize, piece: CodeRange) {
        if piece == CodeRange::Moves && self.marks.last().is_some_and(|last| last.1 == piece) {
            return;
        }
        self.marks.push((at as u32, piece));
    }
}
