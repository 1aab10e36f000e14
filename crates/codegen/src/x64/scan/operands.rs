//! Operands of groups: their allocations must meet their constraints; uses and definitions become steps for
//! `locations`.

use std::ops::Range;

use anywarp_lanes::ir::Type;
use regalloc2::{
    Allocation, Function as _, Inst, Operand, OperandConstraint, OperandKind, OperandPos, RegClass,
};

use super::Scan;
use super::error::ScanError;
use super::group::{GroupRegisters, bit_of};
use super::locations::Step;
use crate::machine_function::InstKind;

impl Scan<'_> {
    /// Validates the operands of a group. Returns the registers that it reads and defines.
    pub(super) fn operands(
        &mut self,
        group: Inst,
        range: &Range<usize>,
    ) -> Result<GroupRegisters, ScanError> {
        let selection = self.groups.selection;
        let machine = &selection.machine;
        let operands = machine.inst_operands(group);
        let allocations = self.groups.allocations.inst_allocs(group);
        let listing = self.groups.listing;
        let wrong = |rule: &'static str| Err(ScanError::at(listing.address(range.start), rule));
        let mut results = GroupRegisters::default();
        let (mut early, mut late, mut early_defs) = (0, 0, 0);
        for (number, (operand, allocation)) in operands.iter().zip(allocations).enumerate() {
            let is_allowed = match operand.constraint() {
                OperandConstraint::FixedReg(register) => allocation.as_reg() == Some(register),
                OperandConstraint::Reuse(other) => allocations.get(other) == Some(allocation),
                OperandConstraint::Any => allocation.is_some() && number < allocations.len(),
                _ => allocation.is_reg(),
            };
            let class = allocation.as_reg().map(|it| it.class());
            if !is_allowed || class.is_some_and(|it| it != operand.class()) {
                return wrong("operands lie where they may");
            }
            let bit = allocation.as_reg().map_or(0, bit_of);
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
                let Some(location) = self.location(*operand, *allocation) else {
                    return wrong("stack slots do not overlap");
                };
                self.locations.push(Step::Use {
                    at: location,
                    vreg: operand.vreg().vreg() as u32,
                    inst: range.start as u32,
                });
            }
        }
        results.read = early | late;
        if early_defs & (early | late) != 0 || late & results.all != 0 {
            return wrong("results are not written over operands");
        }
        // Definitions overwrite their locations. Scratch registers hold a known value only after moves.
        let mut killed = std::mem::take(&mut self.moved_scratch);
        if machine.insts[group.index()].1 == InstKind::Call {
            let clobbers = machine.inst_clobbers(group).into_iter();
            killed |= clobbers.fold(0, |all, it| all | bit_of(it));
        }
        if killed != 0 {
            self.locations.push(Step::Kill(killed));
        }
        for (operand, allocation) in operands.iter().zip(allocations) {
            if operand.kind() == OperandKind::Def {
                let Some(location) = self.location(*operand, *allocation) else {
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
    fn result(
        &self,
        group: Inst,
        operand: Operand,
        bit: u64,
        results: &mut GroupRegisters,
    ) -> bool {
        let is_general = operand.class() == RegClass::Int;
        let ir = self.groups.scope.rules.ir;
        let Some(value) = ir.value_of(operand.vreg()) else {
            results.is_followed |= is_general;
            return true;
        };
        results.values |= bit;
        if is_general {
            results.is_followed |= self.groups.is_followed(value);
            if ir.type_of(value) == Type::Word {
                results.words |= bit;
            }
        }
        let origin = self.groups.selection.origins[group.index()];
        origin.and_then(|it| it.result) == Some(value)
    }

    fn location(&mut self, operand: Operand, allocation: Allocation) -> Option<u32> {
        if let Some(register) = allocation.as_reg() {
            return Some(bit_of(register).trailing_zeros());
        }
        let words = self
            .groups
            .selection
            .machine
            .spillslot_size(operand.class());
        self.locations.slot(allocation.as_stack()?.index(), words)
    }
}
