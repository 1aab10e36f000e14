//! Operands of groups: their allocations must meet their constraints; uses and definitions become steps for
//! `locations`.

use std::ops::Range;

use anywarp_lanes::ir::Type;
use regalloc2::{
    Allocation, Function as _, Inst, Operand, OperandConstraint, OperandKind, OperandPos, RegClass,
};

use super::Scan;
use super::error::ScanError;
use super::group_validator::{GroupRegisters, bit_of};
use super::locations::Transfer;
use crate::machine_function::InstKind;

/// The rule that [`Scan::location`] checks.
const OVERLAP: &str = "stack slots do not overlap";

impl Scan<'_> {
    /// Validates the operands of a group. Returns the registers that it reads and defines.
    pub(super) fn operands(
        &mut self,
        group: Inst,
        range: &Range<usize>,
    ) -> Result<GroupRegisters, ScanError> {
        let machine = &self.groups.selection.machine;
        let operands = machine.inst_operands(group);
        let allocations = self.groups.allocations.inst_allocs(group);
        let listing = self.groups.listing;
        let wrong = |rule: &'static str| ScanError::at(listing.address(range.start), rule);
        let mut results = GroupRegisters::default();
        let (mut early, mut late, mut early_defs) = (0, 0, 0);
        for (operand, allocation) in operands.iter().zip(allocations) {
            if !is_allowed(*operand, *allocation, allocations) {
                return Err(wrong("operands lie where they may"));
            }
            let bit = allocation.as_reg().map_or(0, bit_of);
            if operand.kind() == OperandKind::Use {
                match operand.pos() {
                    OperandPos::Early => early |= bit,
                    OperandPos::Late => late |= bit,
                }
                let location = self.location(*operand, *allocation);
                self.locations.push(Transfer::Use {
                    at: location.ok_or_else(|| wrong(OVERLAP))?,
                    vreg: operand.vreg().vreg() as u32,
                    inst: range.start as u32,
                });
                continue;
            }
            if results.all & bit != 0 {
                return Err(wrong("results have registers of their own"));
            }
            results.all |= bit;
            if !self.result(group, *operand, bit, &mut results) {
                return Err(wrong("a group defines the value of its instruction"));
            }
            if operand.pos() == OperandPos::Early {
                early_defs |= bit;
            }
        }
        results.read = early | late;
        if early_defs & (early | late) != 0 || late & results.all != 0 {
            return Err(wrong("results are not written over operands"));
        }
        self.define(group).map_err(wrong)?;
        Ok(results)
    }

    /// Overwrites the locations that a group clobbers or defines. Scratch registers hold a known value only after
    /// moves.
    fn define(&mut self, group: Inst) -> Result<(), &'static str> {
        let machine = &self.groups.selection.machine;
        let mut killed = std::mem::take(&mut self.moved_scratch);
        if machine.insts[group.index()].1 == InstKind::Call {
            let clobbers = machine.inst_clobbers(group).into_iter();
            killed |= clobbers.fold(0, |all, register| all | bit_of(register));
        }
        if killed != 0 {
            self.locations.push(Transfer::Kill(killed));
        }
        let operands = machine.inst_operands(group);
        let allocations = self.groups.allocations.inst_allocs(group);
        for (operand, allocation) in operands.iter().zip(allocations) {
            if operand.kind() == OperandKind::Def {
                let location = self.location(*operand, *allocation).ok_or(OVERLAP)?;
                let vreg = operand.vreg().vreg() as u32;
                if !self.locations.define(location, vreg) {
                    return Err("a virtual register is defined once");
                }
            }
        }
        Ok(())
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
        origin.and_then(|inst| inst.result) == Some(value)
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

/// Whether an allocation meets the constraint of its operand.
fn is_allowed(operand: Operand, allocation: Allocation, allocations: &[Allocation]) -> bool {
    let is_met = match operand.constraint() {
        OperandConstraint::FixedReg(register) => allocation.as_reg() == Some(register),
        OperandConstraint::Reuse(other) => allocations.get(other) == Some(&allocation),
        OperandConstraint::Any => allocation.is_some(),
        _ => allocation.is_reg(),
    };
    let class = allocation.as_reg().map(|register| register.class());
    is_met && class.is_none_or(|class| class == operand.class())
}
