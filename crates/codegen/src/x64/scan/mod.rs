//! Translation validation of memory accesses and control flow: the last step before machine code is mapped, in release
//! builds, too.
//!
//! In: the encoded bytes, and what they were generated from: the verified vector IR, its selection, the register
//! allocation, and a trace of the emitter. Out: nothing, or the first instruction that breaks a rule. The code is
//! decoded again from its bytes; no rule uses code of selection or emission.
//!
//! # What is validated
//!
//! - `listing`, `class`: every byte belongs to an instruction of an allow-list. There is no indirect jump, and no
//!   system call.
//! - `layout`, `flow`, `branch`, `prologue_epilogue`: jumps go to instructions of this code, at the starts of the
//!   blocks that the vector IR branches to, on its conditions. Calls go through
//!   [`Context::functions`](anywarp_lanes::ir::Context::functions). A return restores the stack pointer and the
//!   callee-saved registers.
//! - `locations`: a data-flow analysis shows that every register and spill slot that a group reads holds the right
//!   virtual register on all paths. Spills and moves are taken from the bytes, not from the allocator. Only prologue,
//!   epilogue and calls write `rsp`, `rdi` (the context) and `rsi` (the frame).
//! - `memory`: constants are read from the constant pool; accesses to the stack are to spill slots of operands; the
//!   context is read at its fields; the frame is accessed where the vector IR has frame stores and loads, and beyond
//!   that in the scratch memory of the group.
//! - `access`, `transfer`: all other accesses go through a pointer of the vector IR, at the address, of at most the
//!   width and under the mask or the limit that one of its instructions has. Masks of partial rows, checked addresses,
//!   indices extracted from vectors, tests whether the lanes of an index are a row, and loops over the lanes of a mask are
//!   followed by abstract interpretation of the bytes.
//!
//! The bounds verifier of `lanes` shows that each access of the vector IR stays in its binding. Together, no access
//! leaves its binding.
//!
//! # What is trusted
//!
//! - The arithmetic: that the groups of an instruction compute its word, its lanes or its mask from its operands.
//!   Pointers, constant and loaded words, comparisons before branches and the masks of partial rows are not trusted.
//!   Tests compare the arithmetic with the evaluator of `lanes`.
//! - The decoder of iced-x86, and the table in `class` of the operands that instructions write.
//! - The caller: the context, the frame and the stack are as the code expects them, and do not overlap.
//!
//! The work is linear in the size of the code, apart from loops, whose blocks are visited again until the analysis
//! reaches a fixpoint.

mod access;
mod branch;
mod class;
mod condition;
mod domain;
mod error;
mod flow;
mod group_validator;
mod ir_view;
mod layout;
mod lifetimes;
mod listing;
mod locations;
mod memory;
mod moves;
mod operands;
mod paths;
mod prologue_epilogue;
#[cfg(test)]
mod tests;
mod trace;
mod transfer;

use std::collections::HashMap;
use std::ops::Range;

use anywarp_lanes::ir::{CallOutcome, Function, Op, Terminator};
use regalloc2::{Inst, Output};

use super::EmittedCode;
use super::select::Selection;
use crate::block_order::{BlockOrder, Origin};
use crate::machine_function::InstKind;

use access::AccessRules;
pub(crate) use error::ScanError;
use group_validator::{GroupRegisters, GroupValidator, scratch};
use ir_view::IrView;
use layout::Layout;
use listing::Listing;
use locations::Locations;
use memory::GroupScope;
use paths::Leaders;
use prologue_epilogue::{Prologue, check_exit, check_padding};
pub(crate) use trace::{CodeRange, Trace};

/// Validates the bytes of a function.
pub(crate) fn scan(
    function: &Function,
    block_order: &BlockOrder,
    selection: &Selection<'_>,
    allocations: &Output,
    bytes: &EmittedCode,
) -> Result<(), ScanError> {
    let entry = bytes.entry as u64;
    let (pool, code) = bytes.bytes.split_at(bytes.entry);
    let listing = Listing::new(code, entry, &bytes.trace)?;
    let ir = IrView::new(function, selection);
    flow::check(&ir, block_order, selection).map_err(|rule| ScanError::at(entry, rule))?;
    let layout = Layout::new(&listing, &selection.machine)?;
    let slot_bytes = allocations.num_spillslots as i64 * 8;
    let prologue = Prologue::new(&listing, layout.prologue.clone(), slot_bytes)?;
    let lanes = function.lanes;
    let groups = GroupValidator {
        listing: &listing,
        layout: &layout,
        selection,
        allocations,
        scope: GroupScope {
            rules: AccessRules {
                ir: &ir,
                pool,
                lanes,
            },
            origin: None,
            slots: Vec::new(),
            ir_frame_bytes: function.frame_bytes.next_multiple_of(64).into(),
            frame_bytes: selection.frame_bytes.into(),
            pool_start: 0,
        },
        temporaries: HashMap::new(),
        scratch: scratch(selection.instruction_set),
        written: 0,
        leaders: Leaders::default(),
        spare: Vec::new(),
    };
    let mut scan = Scan {
        block_order,
        groups,
        prologue,
        locations: Locations::new(&selection.machine, allocations.num_spillslots),
        moved_scratch: 0,
    };
    scan.blocks()?;
    scan.ends()?;
    let result = scan.locations.run();
    result.map_err(|inst| {
        let rule = "operands hold their values on all paths";
        let instruction = listing.insts.get(inst);
        instruction.map_or_else(
            || ScanError::at(entry, rule),
            |inst| ScanError::new(inst, rule),
        )
    })
}

struct Scan<'a> {
    block_order: &'a BlockOrder,
    groups: GroupValidator<'a>,
    prologue: Prologue,
    locations: Locations<'a>,
    /// The scratch registers that moves have written since the last group, as bits.
    moved_scratch: u64,
}

impl Scan<'_> {
    fn blocks(&mut self) -> Result<(), ScanError> {
        let listing = self.groups.listing;
        for number in 0..self.groups.layout.blocks.len() {
            for piece in self.groups.layout.blocks[number].clone() {
                let (piece, range) = &listing.pieces[piece];
                match piece {
                    CodeRange::Group(group) => {
                        let results = self.operands(*group, range)?;
                        self.group(number, *group, range.clone(), results)?;
                    }
                    _ => self.moves(range.clone())?,
                }
            }
            self.locations.end_block();
        }
        Ok(())
    }

    fn group(
        &mut self,
        number: usize,
        group: Inst,
        range: Range<usize>,
        results: GroupRegisters,
    ) -> Result<(), ScanError> {
        let groups = &mut self.groups;
        let machine = &groups.selection.machine;
        let listing = groups.listing;
        let terminator = match self.block_order.origins[number] {
            Origin::Block(id) => Some(&groups.scope.rules.ir.function.block(id).terminator),
            Origin::Start | Origin::Edge(..) => None,
        };
        let epilogue = groups.layout.epilogue.start;
        match machine.insts[group.index()].1 {
            InstKind::Plain => groups.check(group, range, results),
            InstKind::Branch => {
                let next = &machine.blocks[number].successors;
                groups.check_branch(group, range, terminator, next)
            }
            InstKind::Call => {
                let origin = groups.selection.origins[group.index()];
                let Some(Op::Call(called, _)) = origin.map(|inst| inst.op) else {
                    let at = listing.address(range.start);
                    return Err(ScanError::at(at, "calls are those of the vector code"));
                };
                let address = listing.address(epilogue);
                self.prologue.check_call(listing, range, called, address)
            }
            InstKind::Return => {
                let Some(Terminator::Return(CallOutcome(outcome))) = terminator else {
                    let at = listing.address(range.start);
                    return Err(ScanError::at(at, "returns are those of the vector code"));
                };
                self.prologue
                    .check_return(listing, range, *outcome, epilogue)
            }
        }
    }

    /// Validates epilogue, exits and padding, and that written callee-saved registers are saved.
    fn ends(&mut self) -> Result<(), ScanError> {
        let listing = self.groups.listing;
        let layout = self.groups.layout;
        let epilogue = listing.address(layout.epilogue.start);
        self.prologue
            .check_epilogue(listing, layout.epilogue.clone())?;
        for exit in &layout.exits {
            check_exit(listing, exit.clone(), epilogue)?;
        }
        for (piece, range) in &listing.pieces {
            if *piece == CodeRange::Padding {
                check_padding(listing, range.clone())?;
            }
        }
        if self.prologue.saves(self.groups.written) {
            Ok(())
        } else {
            Err(ScanError::at(
                epilogue,
                "registers of the caller that are written are saved",
            ))
        }
    }
}
