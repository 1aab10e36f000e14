//! Groups with jumps: abstract interpretation path by path to a fixpoint (a worklist over leaders).
//!
//! In: the state at the beginning of a group. Out: the meet of the states at its end, over all paths. A path ends at
//! the end of the group, or where a cancelled run exits; no other jump leaves a group. Instructions that no path
//! reaches are not interpreted: nothing jumps into a group from outside.

use std::ops::Range;

use anywarp_lanes::ir::Op;
use regalloc2::Inst;

use super::class::InstClass;
use super::domain::State;
use super::error::{ScanError, ensure};
use super::group_validator::GroupValidator;

/// A leader: an instruction of the group that paths enter.
struct Leader {
    inst: usize,
    state: State,
    is_reached: bool,
    is_changed: bool,
}

/// The leaders of a group. Entries after the first `count` are of other groups, and kept for their memory.
#[derive(Default)]
pub(super) struct Leaders {
    all: Vec<Leader>,
    count: usize,
}

impl Leaders {
    fn add(&mut self, inst: usize) {
        if self.find(inst).is_some() {
            return;
        }
        if self.count == self.all.len() {
            self.all.push(Leader {
                inst,
                state: State::new(),
                is_reached: false,
                is_changed: false,
            });
        }
        let leader = &mut self.all[self.count];
        leader.inst = inst;
        leader.is_reached = false;
        leader.is_changed = false;
        self.count += 1;
    }

    fn find(&mut self, inst: usize) -> Option<&mut Leader> {
        let mut all = self.all[..self.count].iter_mut();
        all.find(|leader| leader.inst == inst)
    }

    /// Merges a state into a leader; returns whether there is one at this instruction.
    fn merge(&mut self, inst: usize, state: &State) -> bool {
        let Some(leader) = self.find(inst) else {
            return false;
        };
        if leader.is_reached {
            leader.is_changed |= leader.state.meet(state);
        } else {
            leader.state.copy_from(state);
            leader.is_reached = true;
            leader.is_changed = true;
        }
        true
    }

    /// Takes a leader other than `end` from the worklist.
    fn next(&mut self, end: usize, state: &mut State) -> Option<usize> {
        let mut all = self.all[..self.count].iter_mut();
        let leader = all.find(|leader| leader.is_changed && leader.inst != end)?;
        leader.is_changed = false;
        state.copy_from(&leader.state);
        Some(leader.inst)
    }
}

impl GroupValidator<'_> {
    /// Replaces the state at the beginning of a group by the state at its end.
    pub(super) fn paths(
        &mut self,
        group: Inst,
        state: &mut State,
        warm: Range<usize>,
    ) -> Result<(), ScanError> {
        let cold = self.listing.cold_of(group);
        let is_inside =
            |inst: usize| warm.contains(&inst) || cold.iter().any(|piece| piece.1.contains(&inst));
        let mut leaders = std::mem::take(&mut self.leaders);
        leaders.count = 0;
        leaders.add(warm.end);
        leaders.add(warm.start);
        for range in std::iter::once(&warm).chain(cold.iter().map(|piece| &piece.1)) {
            for at in range.clone() {
                if let Some(target) = self.target(at).filter(|target| is_inside(*target)) {
                    leaders.add(target);
                }
            }
        }
        leaders.merge(warm.start, state);
        let mut taken = self.spare.pop().unwrap_or_else(State::new);
        while let Some(inst) = leaders.next(warm.end, state) {
            self.path(&mut leaders, inst, [state, &mut taken], &is_inside)?;
        }
        match leaders.find(warm.end).filter(|leader| leader.is_reached) {
            Some(end) => state.copy_from(&end.state),
            // The group never ends: nothing is known.
            None => state.clear(),
        }
        self.leaders = leaders;
        self.spare.push(taken);
        Ok(())
    }

    /// The target of a jump.
    fn target(&self, at: usize) -> Option<usize> {
        let is_jump = matches!(
            self.listing.infos[at].class,
            InstClass::Jump | InstClass::JumpIf(_)
        );
        let target = self.listing.insts[at].near_branch_target();
        is_jump.then(|| self.listing.index_of(target)).flatten()
    }

    /// Interprets one path up to the next leaders.
    fn path(
        &self,
        leaders: &mut Leaders,
        first: usize,
        [state, taken]: [&mut State; 2],
        is_inside: &impl Fn(usize) -> bool,
    ) -> Result<(), ScanError> {
        let mut at = first;
        loop {
            if at != first && leaders.merge(at, state) {
                return Ok(());
            }
            if !is_inside(at) {
                let at = self.listing.address(at);
                return Err(ScanError::at(at, "a group ends in line"));
            }
            let instruction = &self.listing.insts[at];
            let info = self.listing.infos[at];
            if matches!(info.class, InstClass::Jump | InstClass::JumpIf(_)) {
                taken.copy_from(state);
                if let InstClass::JumpIf(condition) = info.class {
                    self.scope.refine(taken, condition);
                    self.scope.refine(state, condition ^ 1);
                }
                let target = self.target(at);
                let is_own = target.is_some_and(|leader| leaders.merge(leader, taken));
                let is_known = is_own || self.is_exit(target);
                ensure(is_known, instruction, "jumps of a group stay in it")?;
                if info.class == InstClass::Jump {
                    return Ok(());
                }
            } else {
                self.scope.transfer(state, instruction, info)?;
            }
            at += 1;
        }
    }

    /// Whether a jump is the exit of a poll.
    fn is_exit(&self, target: Option<usize>) -> bool {
        let is_poll = self
            .scope
            .origin
            .is_some_and(|inst| matches!(inst.op, Op::Poll(_)));
        is_poll && target.is_some_and(|at| self.layout.exits.iter().any(|exit| exit.start == at))
    }
}
