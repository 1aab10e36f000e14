//! Operands of groups: their allocations must meet their constraints; uses and definitions become steps for
//! `locations`.

use std::ops::Range;

use anywarp_lanes::ir::Type;
use regalloc2::{
    Allocation, Function as _, Inst, Operand, OperandConstraint, OperandKind, OperandPos, RegClass,
};

use super::Scan;
use super::error::ScanError;
use super::group::{Results, bit_of};
use super::locations::Step;
use crate::machine::Ending;

impl Scan<'_> {
    /// Validates the operands of a group. Returns the registers that it reads and defines.
    pub(super) fn operands(
        &mut self,
        group: Inst,
        range: &Range<usize>,
    ) -> Result<Results, ScanError> {
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
                    if !self.result(group, *operand, bit, &mut results) {
                        return wrong("a group defines the value of its instruction");
                    }
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
        results.read = early | late;
        if early_defs & (early | late) != 0 || late & results.all != 0 {
            return wrong("results are not written over operands");
        }
        // Definitions overwrite their locations. Scratch registers hold a known value only after moves.
        let mut killed = std::mem::take(&mut self.moved_scratch);
        if machine.insts[group.index()].1 == Ending::Call {
            let clobbers = machine.inst_clobbers(group).into_iter();
            killed |= clobbers.fold(0, |all, it| all | bit_of(it));
        }
        if killed != 0 {
            self.locations.push(Step::Kill(killed));
        }
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

    /// Adds a definition of a group; returns whether it may define this value.
    fn result(&self, group: Inst, operand: Operand, bit: u64, results: &mut Results) -> bool {
        let is_general = operand.class() == RegClass::Int;
        let form = self.groups.scope.rules.form;
        let Some(value) = form.value_of(operand.vreg()) else {
            results.is_followed |= is_general;
            return true;
        };
        results.values |= bit;
        if is_general {
            results.is_followed |= self.groups.is_followed(value);
            if form.type_of(value) == Type::Word {
                results.words |= bit;
            }
        }
        let origin = self.groups.selection.origins[group.index()];
        origin.and_then(|it| it.result) == Some(value)
    }

    fn location(&mut self, operand: Operand, place: Allocation) -> Option<u32> {
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
}
