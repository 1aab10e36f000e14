//! Translation validation of memory accesses: the last step before machine code is mapped, in release builds, too.
//!
//! In: the bytes, and what they are made from: the verified vector code, its selection, the allocation of registers, and a
//! trace of the emitter. Out: nothing, or the first instruction that breaks a rule. The code is decoded anew from its
//! bytes; no rule uses code of selection or emission.
//!
//! # What is shown
//!
//! - `listing`, `class`: every byte belongs to an instruction of an allow-list. There is no indirect jump, and no system
//!   call.
//! - `layout`, `flow`, `branch`, `ends`: jumps arrive at instructions of this code, at the beginnings of blocks that the
//!   vector code goes to, on its conditions. Calls go through [`Context::functions`](anywarp_lanes::ir::Context::functions).
//!   A return restores the stack pointer and the registers of the caller.
//! - `locations`: every register and stack slot that a group reads holds the virtual register that it should, on all
//!   paths. Spills and moves are taken from the bytes, not from the allocator. Nothing but prologue, epilogue and calls
//!   writes `rsp`, `rdi` (the context) and `rsi` (the frame).
//! - `memory`: constants are read from the pool; stack slots are those of operands; the context is read at its fields; the
//!   frame is accessed where the vector code keeps and recalls values, and beyond that in the vectors of the group.
//! - `access`, `step`: all other accesses go through a pointer of the vector code, at the address, of at most the width
//!   and under the mask or the limit that one of its instructions has. Masks of partial rows, checked addresses, indices
//!   out of vectors and loops over the lanes of a mask are followed symbolically from the bytes.
//!
//! Together with the bounds verifier of `lanes`, which shows that each access of the vector code stays in its binding, no
//! access leaves its binding.
//!
//! # What is trusted
//!
//! - The arithmetic: that the group of an instruction computes its word, its lanes or its mask from its operands.
//!   Pointers, constant and loaded words, comparisons before branches and the masks of partial rows are not trusted. Tests compare
//!   the arithmetic with the evaluator of `lanes`.
//! - The decoder of iced-x86, and the table in `class` of what instructions write.
//! - Whoever calls the code: the context, the frame and the stack are as the code expects them, and do not overlap.
//!
//! The work is linear in the size of the code, apart from loops, whose blocks are looked at again until nothing changes.

mod abs;
mod access;
mod branch;
mod class;
mod ends;
mod error;
mod flow;
mod form;
mod group;
mod layout;
mod lifetimes;
mod listing;
mod locations;
mod memory;
mod moves;
mod step;
#[cfg(test)]
mod tests;
mod trace;
mod truth;

use std::collections::HashMap;
use std::ops::Range;

use anywarp_lanes::ir::{Function, Op, Outcome, Terminator, Type};
use regalloc2::{
    Function as _, Inst, OperandConstraint, OperandKind, OperandPos, Output, RegClass,
};

use super::emit::Bytes;
use super::select::Selection;
use crate::graph::{Graph, Origin};
use crate::machine::Ending;

use access::Rules;
use ends::{Prologue, check_exit, check_padding};
pub(crate) use error::ScanError;
use form::Form;
use group::{Groups, Leaders, Results, bit_of, scratch};
use layout::Layout;
use listing::Listing;
use locations::{Locations, Step};
use memory::Scope;
pub(crate) use trace::{Piece, Trace};

/// Checks the bytes of a function.
pub(crate) fn scan(
    function: &Function,
    graph: &Graph,
    selection: &Selection<'_>,
    places: &Output,
    bytes: &Bytes,
) -> Result<(), ScanError> {
    let entry = bytes.entry as u64;
    let (pool, code) = bytes.bytes.split_at(bytes.entry);
    let listing = Listing::new(code, entry, &bytes.trace)?;
    let form = Form::new(function, selection);
    flow::check(&form, graph, selection).map_err(|rule| ScanError::at(entry, rule))?;
    let layout = Layout::new(&listing, &selection.machine)?;
    let slot_bytes = places.num_spillslots as i64 * 8;
    let prologue = Prologue::new(&listing, layout.prologue.clone(), slot_bytes)?;
    let lanes = function.lanes;
    let groups = Groups {
        listing: &listing,
        layout: &layout,
        selection,
        places,
        scope: Scope {
            rules: Rules {
                form: &form,
                pool,
                lanes,
            },
            origin: None,
            slots: Vec::new(),
            kept_bytes: function.frame_bytes.next_multiple_of(64).into(),
            frame_bytes: selection.frame_bytes.into(),
            pool_start: 0,
        },
        meanings: HashMap::new(),
        scratch: scratch(lanes),
        written: 0,
        leaders: Leaders::default(),
        spare: Vec::new(),
    };
    let mut scan = Scan {
        graph,
        groups,
        prologue,
        locations: Locations::new(&selection.machine, places.num_spillslots),
    };
    scan.blocks()?;
    scan.ends()?;
    let result = scan.locations.run();
    result.map_err(|place| {
        let rule = "operands hold their values on all paths";
        let instruction = listing.insts.get(place);
        instruction.map_or_else(|| ScanError::at(entry, rule), |it| ScanError::new(it, rule))
    })
}

struct Scan<'a> {
    graph: &'a Graph,
    groups: Groups<'a>,
    prologue: Prologue,
    locations: Locations<'a>,
}

impl Scan<'_> {
    fn blocks(&mut self) -> Result<(), ScanError> {
        let listing = self.groups.listing;
        for number in 0..self.groups.layout.blocks.len() {
            for piece in self.groups.layout.blocks[number].clone() {
                let (piece, range) = &listing.pieces[piece];
                match piece {
                    Piece::Group(group) => {
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
        results: Results,
    ) -> Result<(), ScanError> {
        let groups = &mut self.groups;
        let machine = &groups.selection.machine;
        let listing = groups.listing;
        let terminator = match self.graph.origins[number] {
            Origin::Block(id) => Some(&groups.scope.rules.form.function.block(id).terminator),
            Origin::Start | Origin::Way(..) => None,
        };
        let epilogue = groups.layout.epilogue.start;
        match machine.insts[group.index()].1 {
            Ending::No => groups.check(group, range, results),
            Ending::Branch => {
                let next = &machine.blocks[number].successors;
                groups.check_branch(group, range, terminator, next)
            }
            Ending::Call => {
                let origin = groups.selection.origins[group.index()];
                let Some(Op::Call(called, _)) = origin.map(|it| it.op) else {
                    let at = listing.address(range.start);
                    return Err(ScanError::at(at, "calls are those of the vector code"));
                };
                let address = listing.address(epilogue);
                self.prologue.check_call(listing, range, called, address)
            }
            Ending::Return => {
                let Some(Terminator::Return(Outcome(outcome))) = terminator else {
                    let at = listing.address(range.start);
                    return Err(ScanError::at(at, "returns are those of the vector code"));
                };
                self.prologue
                    .check_return(listing, range, *outcome, epilogue)
            }
        }
    }

    /// What a group reads and writes of its operands.
    fn operands(&mut self, group: Inst, range: &Range<usize>) -> Result<Results, ScanError> {
        let selection = self.groups.selection;
        let machine = &selection.machine;
        let operands = machine.inst_operands(group);
        let places = self.groups.places.inst_allocs(group);
        let listing = self.groups.listing;
        let wrong = |rule: &'static str| Err(ScanError::at(listing.address(range.start), rule));
        let mut results = Results::default();
        let (mut early, mut late, mut early_defs) = (0, 0, 0);
        for (number, (operand, place)) in operands.iter().zip(places).enumerate() {
            let is_place = match operand.constraint() {
                OperandConstraint::FixedReg(register) => place.as_reg() == Some(register),
                OperandConstraint::Reuse(other) => places.get(other) == Some(place),
                OperandConstraint::Any => place.is_some() && number < places.len(),
                _ => place.is_reg(),
            };
            let class = place.as_reg().map(|it| it.class());
            if !is_place || class.is_some_and(|it| it != operand.class()) {
                return wrong("operands lie where they may");
            }
            let bit = place.as_reg().map_or(0, bit_of);
            match (operand.kind(), operand.pos()) {
                (OperandKind::Use, OperandPos::Early) => early |= bit,
                (OperandKind::Use, OperandPos::Late) => late |= bit,
                (OperandKind::Def, pos) => {
                    if results.all & bit != 0 {
                        return wrong("results have registers of their own");
                    }
                    results.all |= bit;
                    self.general_result(*operand, bit, &mut results);
                    if pos == OperandPos::Early {
                        early_defs |= bit;
                    }
                }
            }
            if operand.kind() == OperandKind::Use {
                let Some(location) = self.location(*operand, *place) else {
                    return wrong("stack slots do not overlap");
                };
                self.locations.push(Step::Use {
                    at: location,
                    vreg: operand.vreg().vreg() as u32,
                    place: range.start as u32,
                });
            }
        }
        if early_defs & (early | late) != 0 || late & results.all != 0 {
            return wrong("results are not written over operands");
        }
        let mut killed = results.all | self.groups.scratch;
        if machine.insts[group.index()].1 == Ending::Call {
            let clobbers = machine.inst_clobbers(group).into_iter();
            killed |= clobbers.fold(0, |all, it| all | bit_of(it));
        }
        self.locations.push(Step::Kill(killed));
        for (operand, place) in operands.iter().zip(places) {
            if operand.kind() == OperandKind::Def {
                let Some(location) = self.location(*operand, *place) else {
                    return wrong("stack slots do not overlap");
                };
                let vreg = operand.vreg().vreg() as u32;
                if !self.locations.define(location, vreg) {
                    return wrong("a virtual register is defined once");
                }
            }
        }
        Ok(results)
    }

    fn general_result(&self, operand: regalloc2::Operand, bit: u64, results: &mut Results) {
        if operand.class() != RegClass::Int {
            return;
        }
        let form = self.groups.scope.rules.form;
        let Some(value) = form.value_of(operand.vreg()) else {
            results.is_followed = true;
            return;
        };
        results.is_followed |= self.groups.is_followed(value);
        if form.type_of(value) == Type::Word {
            results.words |= bit;
        }
    }

    fn location(
        &mut self,
        operand: regalloc2::Operand,
        place: regalloc2::Allocation,
    ) -> Option<u32> {
        if let Some(register) = place.as_reg() {
            return Some(bit_of(register).trailing_zeros());
        }
        let words = self
            .groups
            .selection
            .machine
            .spillslot_size(operand.class());
        self.locations.slot(place.as_stack()?.index(), words)
    }

    /// What lies outside blocks.
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
            if *piece == Piece::Padding {
                check_padding(listing, range.clone())?;
            }
        }
        match self.prologue.saves(self.groups.written) {
            true => Ok(()),
            false => Err(ScanError::at(
                epilogue,
                "registers of the caller that are written are saved",
            )),
        }
    }
}
