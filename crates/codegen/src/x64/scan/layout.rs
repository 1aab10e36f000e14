//! The layout of the code: where blocks, groups, epilogue and exits are.
//!
//! In: the pieces of the listing and the machine function. Out: a [`Layout`]. What always holds: the pieces are a
//! prologue, then every block with its groups in order, an epilogue, and after it only cold code of groups and exits.

use std::ops::Range;

use regalloc2::{Function as _, Inst};

use super::error::ScanError;
use super::listing::Listing;
use super::trace::CodeRange;
use crate::machine_function::{InstKind, MachineFunction};

/// Ranges of instructions in the listing.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) prologue: Range<usize>,
    /// For each block, its pieces.
    pub(super) blocks: Vec<Range<usize>>,
    /// For each block, the instruction that a jump to it reaches.
    pub(super) targets: Vec<usize>,
    pub(super) epilogue: Range<usize>,
    pub(super) exits: Vec<Range<usize>>,
}

impl Layout {
    pub(super) fn new(listing: &Listing, machine: &MachineFunction) -> Result<Self, ScanError> {
        let mut pieces = listing.pieces.iter().enumerate().peekable();
        let wrong = |rule: &'static str| ScanError::at(listing.end, rule);
        let Some((_, (CodeRange::Prologue, prologue))) = pieces.next() else {
            return Err(wrong("the code begins with a prologue"));
        };
        let mut layout = Self {
            prologue: prologue.clone(),
            blocks: Vec::with_capacity(machine.blocks.len()),
            targets: Vec::with_capacity(machine.blocks.len()),
            epilogue: 0..0,
            exits: Vec::new(),
        };
        for (number, block) in machine.blocks.iter().enumerate() {
            pieces.next_if(|(_, piece)| piece.0 == CodeRange::Padding);
            let begin = pieces.next_if(|(_, piece)| piece.0 == CodeRange::Block(number as u32));
            let (first, (_, range)) = begin.ok_or_else(|| wrong("blocks come in order"))?;
            if !range.is_empty() {
                return Err(wrong("a block has no bytes in front of its groups"));
            }
            let mut group = block.first;
            let mut end = first + 1;
            while let Some((at, (piece, _))) = pieces
                .next_if(|(_, piece)| matches!(piece.0, CodeRange::Group(_) | CodeRange::Moves))
            {
                end = at + 1;
                if let CodeRange::Group(inst) = piece {
                    if inst.index() != group {
                        return Err(wrong("groups come in order"));
                    }
                    group += 1;
                }
            }
            if group != block.end && end != first + 1 {
                return Err(wrong("a block has all its groups"));
            }
            let is_last = |ending: InstKind| matches!(ending, InstKind::Branch | InstKind::Return);
            let endings = &machine.insts[block.first..block.end];
            let ends = endings.iter().position(|inst| is_last(inst.1));
            if ends.is_none_or(|at| at + 1 != endings.len()) {
                return Err(wrong("a block ends with its only terminator"));
            }
            layout.blocks.push(first + 1..end);
            layout.targets.push(range.start);
        }
        let Some((_, (CodeRange::Epilogue, epilogue))) = pieces.next() else {
            return Err(wrong("an epilogue follows the blocks"));
        };
        layout.epilogue = epilogue.clone();
        for (_, (piece, range)) in pieces {
            match piece {
                CodeRange::Cold(_) => {}
                CodeRange::Exit => layout.exits.push(range.clone()),
                _ => return Err(wrong("after the epilogue is only code out of line")),
            }
        }
        layout.forward(machine, &wrong)?;
        Ok(layout)
    }

    /// A jump to a block without code reaches the successor of that block.
    fn forward(
        &mut self,
        machine: &MachineFunction,
        wrong: &impl Fn(&'static str) -> ScanError,
    ) -> Result<(), ScanError> {
        let is_empty = |number: usize| self.blocks[number].is_empty();
        let mut targets = self.targets.clone();
        for (number, target) in targets.iter_mut().enumerate() {
            let mut at = number;
            let mut steps = 0;
            while is_empty(at) {
                let block = &machine.blocks[at];
                let is_jump = block.end == block.first + 1
                    && machine.insts[block.first].1 == InstKind::Branch
                    && machine.inst_operands(Inst::new(block.first)).is_empty();
                let [next] = block.successors[..] else {
                    return Err(wrong("a block without code goes to one block"));
                };
                if !is_jump || steps > machine.blocks.len() {
                    return Err(wrong("a block without code does nothing"));
                }
                steps += 1;
                at = next.index();
            }
            *target = self.targets[at];
        }
        self.targets = targets;
        Ok(())
    }
}
