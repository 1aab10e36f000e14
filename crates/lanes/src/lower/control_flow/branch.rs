//! Lowers `if`: a uniform condition becomes a branch, a varying one becomes execution masks (predication).
//!
//! Under a varying condition both sides are lowered one after another, each under its mask, and each is skipped if
//! no lane takes it. Values of the two sides are merged by block parameters.

use naga::{Block, Statement};

use crate::ir::{BlockId, Edge, MaskBinary, Terminator, Value};

use crate::lower::arithmetic::scalar::Scalar;
use crate::lower::error::Result;
use crate::lower::memory::layout::ScalarType;
use crate::lower::memory::variables::{Form, Slot};
use crate::lower::{Flow, Lowering, Scope};

/// The end of one side of a branch, and what it has changed.
struct End {
    flow: Flow,
    block: BlockId,
    exec: Option<Value>,
    changes: Vec<(Slot, Scalar)>,
}

impl End {
    /// The value of a slot at the end; `None` if it is unchanged.
    fn find(&self, slot: Slot) -> Option<&Scalar> {
        let place = self.changes.binary_search_by_key(&slot, |(it, _)| *it);
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
            Scalar::Mask(mask) => self.masked_branch(statement, *mask, blocks, is_last),
            _ => self.jumping_branch(statement, condition, blocks, is_last),
        }
    }

    fn way(&mut self, block: BlockId, body: &'a Block, is_last: bool) -> Result<End> {
        let since = self.body.log.len();
        self.control.block = block;
        let flow = self.statements(body, is_last)?;
        Ok(End {
            flow,
            block: self.control.block,
            exec: self.control.exec,
            changes: self.take_back(since),
        })
    }

    fn jumping_branch(
        &mut self,
        statement: &'a Statement,
        condition: &Scalar,
        [accept, reject]: [&'a Block; 2],
        is_last: bool,
    ) -> Result<Flow> {
        let condition = self.condition(condition)?;
        let (yes, no) = (self.function.add_block(), self.function.add_block());
        self.end(Terminator::Branch(condition, Edge::to(yes), Edge::to(no)));
        let (exec, inhabited) = (self.control.exec, self.control.inhabited);
        let first = self.way(yes, accept, is_last)?;
        (self.control.exec, self.control.inhabited) = (exec, inhabited);
        let second = self.way(no, reject, is_last)?;
        self.control.inhabited = inhabited;
        match (first.flow, second.flow) {
            (Flow::Ends, Flow::Ends) => Ok(Flow::Ends),
            (Flow::Goes, Flow::Ends) => self.go_on(first),
            (Flow::Ends, Flow::Goes) => self.go_on(second),
            (Flow::Goes, Flow::Goes) => {
                let analysis = self.call().analysis.clone();
                let live = &analysis.liveness.of_statement(statement).after;
                self.meet([first, second], |lowering, slot| {
                    lowering.matters(slot.0, live)
                })?;
                Ok(Flow::Goes)
            }
        }
    }

    /// Continues at the end of the only side that does not terminate.
    fn go_on(&mut self, end: End) -> Result<Flow> {
        self.control.block = end.block;
        self.control.exec = end.exec;
        for (slot, scalar) in end.changes {
            self.replace(slot, scalar);
        }
        Ok(Flow::Goes)
    }

    /// Merges two paths in a new block, with parameters for the live changes.
    fn meet(&mut self, ends: [End; 2], matters: impl Fn(&Self, Slot) -> bool) -> Result {
        let join = self.function.add_block();
        let mut slots: Vec<Slot> = Vec::new();
        for end in &ends {
            slots.extend(end.changes.iter().map(|(slot, _)| *slot));
        }
        slots.sort_unstable();
        slots.dedup();
        slots.retain(|slot| matters(self, *slot));
        let mut forms = Vec::new();
        let mut plain = Vec::new();
        for slot in slots {
            let before = self.slot(slot);
            let [a, b] = [0, 1].map(|way| ends[way].find(slot).unwrap_or(before).clone());
            if a.is(&b) {
                plain.push((slot, a));
            } else {
                forms.push((slot, self.common_form(self.slot_kind(slot), &a, &b), [a, b]));
            }
        }
        let is_exec_changed = ends[0].exec != ends[1].exec;
        for (way, end) in ends.iter().enumerate() {
            (self.control.block, self.control.exec) = (end.block, end.exec);
            let mut arguments = Vec::with_capacity(forms.len() + 1);
            for (_, form, scalars) in &forms {
                arguments.push(self.argument(&scalars[way], form)?);
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

    fn masked_branch(
        &mut self,
        statement: &'a Statement,
        condition: Value,
        [accept, reject]: [&'a Block; 2],
        is_last: bool,
    ) -> Result<Flow> {
        let outer = self.control.exec;
        let all = self.exec_mask();
        let yes = self.active(condition);
        // `break` in a divergent loop only removes lanes from the mask.
        if reject.is_empty() && self.is_plain_break(accept) {
            self.control.exec = Some(self.mask_binary(MaskBinary::AndNot, all, condition));
            return Ok(Flow::Goes);
        }
        if accept.is_empty() && self.is_plain_break(reject) {
            self.control.exec = Some(yes);
            return Ok(Flow::Goes);
        }
        let no = self.mask_binary(MaskBinary::AndNot, all, condition);
        let first = self.masked_way(statement, 0, yes, accept, is_last)?;
        let second = self.masked_way(statement, 1, no, reject, is_last)?;
        self.control.exec = if first == yes && second == no {
            outer
        } else {
            Some(self.mask_binary(MaskBinary::Or, first, second))
        };
        if self.control.exec != outer {
            self.skip_if_none()?;
        }
        Ok(Flow::Goes)
    }

    fn is_plain_break(&self, block: &Block) -> bool {
        matches!(block[..], [Statement::Break])
            && matches!(self.control.scopes.last(), Some(Scope::MaskedLoop { .. }))
    }

    /// Lowers a block for the lanes of a mask, and branches around it if the mask is empty. Returns the lanes that
    /// reach its end.
    pub(in crate::lower) fn masked_way(
        &mut self,
        statement: &'a Statement,
        place: usize,
        mask: Value,
        body: &'a Block,
        is_last: bool,
    ) -> Result<Value> {
        if body.is_empty() {
            return Ok(mask);
        }
        let analysis = self.call().analysis.clone();
        let keep = &analysis.liveness.of_statement(statement).inactive_live[place];
        let inside = self.function.add_block();
        let before = End {
            flow: Flow::Goes,
            block: self.control.block,
            exec: Some(mask),
            changes: Vec::new(),
        };
        self.keep(keep, 1);
        self.control.masked_ways += 1;
        self.control.exec = Some(mask);
        let inhabited = self.control.inhabited.replace(mask);
        let end = self.way(inside, body, is_last)?;
        self.control.inhabited = inhabited;
        self.control.masked_ways -= 1;
        self.keep(keep, -1);
        let skipped = self.function.add_block();
        self.control.block = before.block;
        self.end(Terminator::Branch(
            mask,
            Edge::to(inside),
            Edge::to(skipped),
        ));
        let before = End {
            block: skipped,
            ..before
        };
        match end.flow {
            Flow::Ends => self.go_on(before)?,
            Flow::Goes => {
                self.meet([end, before], |lowering, slot| {
                    lowering.matters(slot.0, keep)
                })?;
                Flow::Goes
            }
        };
        Ok(self.exec_mask())
    }

    /// Ends the kernel early if no lane is active.
    fn skip_if_none(&mut self) -> Result {
        let (Some(exec), Some(done)) = (self.control.exec, self.done_block()) else {
            return Ok(());
        };
        let next = self.function.add_block();
        self.end(Terminator::Branch(exec, Edge::to(next), Edge::to(done)));
        self.control.block = next;
        self.control.inhabited = Some(exec);
        Ok(())
    }
}

/// The representation in which a loop carries a variable's scalar.
pub(in crate::lower) fn carried_form(kind: ScalarType, differs: bool) -> Form {
    match (kind, differs) {
        (ScalarType::Bool, true) => Form::Mask,
        (_, true) => Form::Lanes,
        (ScalarType::Float, false) => Form::UniformLanes,
        (_, false) => Form::Word,
    }
}
