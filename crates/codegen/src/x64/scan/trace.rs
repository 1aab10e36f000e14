//! What the emitter tells about the code that it writes: where each piece begins, and what it is made from.
//!
//! In: marks from `emit`, in the order of the bytes. Out: a [`Trace`]. The scan takes it as a claim: pieces that do not
//! cover the code in the order of the machine form are an error.

use regalloc2::Inst;

/// A contiguous range of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Saves registers and takes stack.
    Prologue,
    /// `nop` in front of a loop.
    Padding,
    /// The beginning of a block, by number; it has no bytes of its own.
    Block(u32),
    /// The items of one instruction of the allocator.
    Group(Inst),
    /// Moves that the allocator asks for.
    Moves,
    /// The end that all returns share.
    Epilogue,
    /// Items of one instruction of the allocator, out of line.
    Cold(Inst),
    /// Leaves with the outcome of a cancelled run.
    Exit,
}

/// Where each piece begins; it ends where the next one begins.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(super) marks: Vec<(u32, Piece)>,
}

impl Trace {
    pub(in super::super) fn mark(&mut self, at: usize, piece: Piece) {
        if piece == Piece::Moves && self.marks.last().is_some_and(|it| it.1 == piece) {
            return;
        }
        self.marks.push((at as u32, piece));
    }
}
