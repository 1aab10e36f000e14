//! Lowers `if`: a uniform condition becomes a branch, a varying one becomes execution masks (`predication`).
//!
//! Values of the two sides are merged by block parameters.

use naga::{Block, Statement};

use crate::ir::{BlockId, Edge, Terminator, Value};

use crate::lower::analysis::short_circuit::split;
use crate::lower::arithmetic::scalar::Scalar;
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::layout::ScalarType;
use crate::lower::memory::variables::{Representation, Slot};
use crate::lower::{Flow, Lowering};

static EMPTY: Block = Block::new();

/// The end of one side of a branch, and what it has changed.
pub(super) struct SideEnd {
    pub(super) flow: Flow,
    pub(super) block: BlockId,
    pub(super) exec: Option<Value>,
    pub(super) changes: Vec<(Slot, Scalar)>,
}

impl SideEnd {
    /// The value of a slot at the end; `None` if it is unchanged.
    fn find(&self, slot: Slot) -> Option<&Scalar> {
        let place = self
            .changes
            .binary_search_by_key(&slot, |(changed, _)| *changed);
        place.ok().map(|place| &self.changes[place].1)
    }
}

impl<'a> Lowering<'a> {
    pub(in crate::lower) fn branch(
        &mut self,
        statement: &'a Statement,
        condition: &Scalar,
        blocks: [&'a Block; 2],
        is_last: bool,
    ) -> Result<Flow> {
        match condition {
            Scalar::Known(condition) => {
                let taken = if *condition != 0 {
                    blocks[0]
                } else {
                    blocks[1]
                };
                self.statements(taken, is_last)
            }
            Scalar::Mask(mask) if self.call().analysis.short_circuits.contains(statement) => {
                self.short_circuit(*mask, blocks)
            }
            Scalar::Mask(mask) => {
                let mut blocks = blocks;
                let constant_side = self.call().analysis.short_circuits.constant_side(statement);
                if let Some(side) = constant_side {
                    let assignment = std::mem::replace(&mut blocks[side], &EMPTY);
                    self.statements(assignment, false)?;
                }
                self.predicated_branch(statement, *mask, blocks, is_last)
            }
            _ => self.uniform_branch(statement, condition, blocks, is_last),
        }
    }

    /// Lowers both sides of a short-circuit operator for all active lanes.
    fn short_circuit(&mut self, condition: Value, sides: [&'a Block; 2]) -> Result<Flow> {
        let mut values = Vec::with_capacity(2);
        let mut target = None;
        for side in sides {
            let Some((before, assignment)) = split(side) else {
                return unsupported("a short-circuit operator without a value");
            };
            for statement in before {
                self.statement(statement, false)?;
            }
            values.push(self.scalar(assignment.value)?);
            target = Some(assignment.pointer);
        }
        if let (Some(target), [yes, no]) = (target, &values[..]) {
            let value = self.choose_truth(condition, yes, no);
            let place = self.lvalue(target)?;
            self.store(&place, &[value])?;
        }
        Ok(Flow::Continues)
    }

    /// Lowers one side of a branch.
    pub(super) fn side(
        &mut self,
        block: BlockId,
        body: &'a Block,
        is_last: bool,
    ) -> Result<SideEnd> {
        let since = self.body.log.len();
        self.control.block = block;
        let flow = self.statements(body, is_last)?;
        Ok(SideEnd {
            flow,
            block: self.control.block,
            exec: self.control.exec,
            changes: self.roll_back(since),
        })
    }

    fn uniform_branch(
        &mut self,
        statement: &'a Statement,
        condition: &Scalar,
        [accept, reject]: [&'a Block; 2],
        is_last: bool,
    ) -> Result<Flow> {
        let condition = self.condition(condition)?;
        let (yes, no) = (self.function.add_block(), self.function.add_block());
        self.end(Terminator::Branch(condition, Edge::to(yes), Edge::to(no)));
        let (exec, nonempty_mask) = (self.control.exec, self.control.nonempty_mask);
        let first = self.side(yes, accept, is_last)?;
        (self.control.exec, self.control.nonempty_mask) = (exec, nonempty_mask);
        let second = self.side(no, reject, is_last)?;
        self.control.nonempty_mask = nonempty_mask;
        match (first.flow, second.flow) {
            (Flow::Terminated, Flow::Terminated) => Ok(Flow::Terminated),
            (Flow::Continues, Flow::Terminated) => self.continue_at(first),
            (Flow::Terminated, Flow::Continues) => self.continue_at(second),
            (Flow::Continues, Flow::Continues) => {
                let analysis = self.call().analysis.clone();
                let live = &analysis.liveness.of_statement(statement).after;
                self.merge_sides([first, second], |lowering, slot| {
                    lowering.is_read_later(slot.0, live)
                })?;
                Ok(Flow::Continues)
            }
        }
    }

    /// Continues at the end of the only side that does not terminate.
    pub(super) fn continue_at(&mut self, end: SideEnd) -> Result<Flow> {
        self.control.block = end.block;
        self.control.exec = end.exec;
        for (slot, scalar) in end.changes {
            self.replace(slot, scalar);
        }
        Ok(Flow::Continues)
    }

    /// Merges two paths in a new block, with parameters for the live changes.
    pub(super) fn merge_sides(
        &mut self,
        ends: [SideEnd; 2],
        is_read_later: impl Fn(&Self, Slot) -> bool,
    ) -> Result {
        let join = self.function.add_block();
        let mut slots: Vec<Slot> = Vec::new();
        for end in &ends {
            slots.extend(end.changes.iter().map(|(slot, _)| *slot));
        }
        slots.sort_unstable();
        slots.dedup();
        slots.retain(|slot| is_read_later(self, *slot));
        let mut forms = Vec::new();
        let mut plain = Vec::new();
        for slot in slots {
            let before = self.slot(slot);
            let [a, b] = [0, 1].map(|side| ends[side].find(slot).unwrap_or(before).clone());
            if a.is(&b) {
                plain.push((slot, a));
            } else {
                forms.push((slot, self.common_form(self.slot_kind(slot), &a, &b), [a, b]));
            }
        }
        let is_exec_changed = ends[0].exec != ends[1].exec;
        for (side, end) in ends.iter().enumerate() {
            (self.control.block, self.control.exec) = (end.block, end.exec);
            let mut arguments = Vec::with_capacity(forms.len() + 1);
            for (_, form, scalars) in &forms {
                arguments.push(self.argument(&scalars[side], form)?);
            }
            if is_exec_changed {
                arguments.push(self.exec_mask());
            }
            let block = join;
            self.end(Terminator::Jump(Edge { block, arguments }));
        }
        self.control.block = join;
        for (slot, form, _) in &forms {
            let scalar = self.parameter(join, form);
            self.replace(*slot, scalar);
        }
        for (slot, scalar) in plain {
            self.replace(slot, scalar);
        }
        self.control.exec = ends[0].exec;
        if is_exec_changed {
            let mask = self.function.add_parameter(join, crate::ir::Type::Mask);
            self.control.exec = Some(mask);
        }
        Ok(())
    }
}

/// The representation in which a loop carries a variable's scalar.
pub(in crate::lower) fn carried_form(kind: ScalarType, differs: bool) -> Representation {
    match (kind, differs) {
        (ScalarType::Bool, true) => Representation::Mask,
        (_, true) => Representation::Lanes,
        (ScalarType::Float, false) => Representation::UniformLanes,
        (_, false) => Representation::Word,
    }
}
