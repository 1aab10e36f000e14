//! Block terminators: each must branch to the successors of the vector IR, on the same condition.

use std::ops::Range;

use anywarp_lanes::ir::Terminator;
use iced_x86::{Mnemonic, OpKind};
use regalloc2::Inst;

use super::class::InstClass;
use super::condition::tests_condition;
use super::error::{ScanError, ensure};
use super::group_validator::GroupValidator;

impl GroupValidator<'_> {
    /// Validates the group that ends a block; `next` has the successors. `terminator` is `None` for the entry block and
    /// edge blocks.
    pub(super) fn check_branch(
        &mut self,
        group: Inst,
        range: Range<usize>,
        terminator: Option<&Terminator>,
        next: &[regalloc2::Block],
    ) -> Result<(), ScanError> {
        self.check_quiet(&range)?;
        if !self.listing.cold_of(group).is_empty() {
            let at = self.listing.address(range.start);
            return Err(ScanError::at(at, "the end of a block lies in line"));
        }
        let target = |index: usize| self.layout.targets[next[index].index()];
        match terminator {
            Some(Terminator::Branch(condition, ..)) => {
                let mut state = self.begin(group);
                let jump = self.until_jump(&mut state, &range)?;
                let class = self.listing.class(jump);
                let (Some(InstClass::JumpIf(holds)), true) = (class, jump < range.end) else {
                    let at = self.listing.address(range.start);
                    return Err(ScanError::at(at, "a branch has a conditional jump"));
                };
                let instruction = &self.listing.insts[jump];
                let taken = self.listing.index_of(instruction.near_branch_target());
                let ir = self.scope.rules.ir;
                let yes = tests_condition(ir, state.flags, holds, *condition);
                let no = tests_condition(ir, state.flags, holds ^ 1, *condition);
                self.spare.push(state);
                let (there, here) = match (yes, no) {
                    (true, _) => (target(0), target(1)),
                    (_, true) => (target(1), target(0)),
                    _ => {
                        let rule = "a branch is decided by its condition";
                        return Err(ScanError::new(instruction, rule));
                    }
                };
                ensure(
                    taken == Some(there),
                    instruction,
                    "a branch goes to its blocks",
                )?;
                self.check_go(jump + 1..range.end, here)
            }
            Some(Terminator::Resume(_)) => self.check_resume(range, next.len(), &target),
            _ => self.check_go(range, target(0)),
        }
    }

    /// The group writes neither registers nor memory.
    fn check_quiet(&self, range: &Range<usize>) -> Result<(), ScanError> {
        for at in range.clone() {
            let is_quiet = matches!(
                self.listing.infos[at].class,
                InstClass::WritesFlags | InstClass::Jump | InstClass::JumpIf(_)
            );
            ensure(
                is_quiet,
                &self.listing.insts[at],
                "the end of a block only compares",
            )?;
        }
        Ok(())
    }

    /// The code continues at a block: by a jump, or by falling through.
    fn check_go(&self, range: Range<usize>, target: usize) -> Result<(), ScanError> {
        let is_there = match range.len() {
            0 => {
                let mut at = range.end;
                while self.listing.class(at) == Some(InstClass::Nop) {
                    at += 1;
                }
                at == target
            }
            1 => {
                let jump = &self.listing.insts[range.start];
                self.listing.infos[range.start].class == InstClass::Jump
                    && self.listing.index_of(jump.near_branch_target()) == Some(target)
            }
            _ => false,
        };
        let at = self.listing.address(range.start);
        if is_there {
            Ok(())
        } else {
            Err(ScanError::at(at, "a block goes to its successor"))
        }
    }

    /// The code compares the resume point with each number from 1 on.
    fn check_resume(
        &self,
        range: Range<usize>,
        successors: usize,
        target: &impl Fn(usize) -> usize,
    ) -> Result<(), ScanError> {
        let mut at = range.start;
        for index in 1..successors {
            let pair = self.listing.insts.get(at..at + 2).unwrap_or(&[]);
            let [compare, jump] = pair else {
                let at = self.listing.address(range.start);
                return Err(ScanError::at(at, "a barrier has a block"));
            };
            let is_number = compare.mnemonic() == Mnemonic::Cmp
                && compare.op0_kind() == OpKind::Register
                && compare.op1_kind() != OpKind::Register
                && compare.immediate(1) as u32 == index as u32;
            let is_there = jump.mnemonic() == Mnemonic::Je
                && self.listing.index_of(jump.near_branch_target()) == Some(target(index));
            ensure(is_number && is_there, jump, "a barrier has a block")?;
            at += 2;
        }
        self.check_go(at..range.end.max(at), target(0))
    }
}
