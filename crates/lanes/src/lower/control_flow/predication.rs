//! Predication (if-conversion): varying control flow as straight code under execution masks.
//!
//! In: an `if`, a loop or a `switch` on which lanes disagree. Out: the code of all sides one after another, each under
//! the mask of the lanes that take it, and skipped if no lane does, unless it is cheaper than a branch. What always
//! holds: an inactive lane changes no memory and no variable that it may still read (`liveness`).
//!
//! In a divergent loop the execution mask is a parameter of the loop header. `break` clears lanes from it, or jumps to
//! the exit if all lanes that are left execute it. `continue` collects lanes in a second mask that is merged before
//! `continuing`, and the back edge is taken while any lane is left.

use naga::{Block, Expression, Handle, Statement, SwitchCase};

use crate::ir::{BlockId, Edge, MaskBinary, Op, Terminator, Type, Value};

use crate::lower::analysis::bit_set::Members;
use crate::lower::analysis::liveness::continues;
use crate::lower::analysis::speculation::SpeculationCosts;
use crate::lower::arithmetic::scalar::Scalar;
use crate::lower::control_flow::branch::SideEnd;
use crate::lower::control_flow::switch::{MAX_COMPARED_CASES, value};
use crate::lower::error::Result;
use crate::lower::memory::layout::ScalarType;
use crate::lower::memory::reference::Lvalue;
use crate::lower::memory::variables::{Owner, Representation, Slot, VariableId};
use crate::lower::{Flow, Lowering, Scope};

impl<'a> Lowering<'a> {
    pub(super) fn predicated_branch(
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
            return Ok(Flow::Continues);
        }
        if accept.is_empty() && self.is_plain_break(reject) {
            self.control.exec = Some(yes);
            return Ok(Flow::Continues);
        }
        let no = self.mask_binary(MaskBinary::AndNot, all, condition);
        let first = self.predicated_block(statement, 0, yes, accept, is_last)?;
        let second = self.predicated_block(statement, 1, no, reject, is_last)?;
        self.control.exec = if first == yes && second == no {
            outer
        } else {
            Some(self.mask_binary(MaskBinary::Or, first, second))
        };
        if self.control.exec != outer {
            self.skip_if_none()?;
        }
        Ok(Flow::Continues)
    }

    fn is_plain_break(&self, block: &Block) -> bool {
        matches!(block[..], [Statement::Break])
            && matches!(self.control.scopes.last(), Some(Scope::MaskedLoop { .. }))
    }

    /// Lowers a block for the lanes of a mask, and branches around it if the mask is empty. Returns the lanes that
    /// reach its end.
    fn predicated_block(
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
        let inactive_live = &analysis.liveness.of_statement(statement).inactive_live[place];
        if self.is_cheaper_than_branch(body) {
            self.count_inactive_readers(inactive_live, 1);
            self.control.exec = Some(mask);
            self.statements(body, false)?;
            self.count_inactive_readers(inactive_live, -1);
            return Ok(mask);
        }
        let inside = self.function.add_block();
        let before = SideEnd {
            flow: Flow::Continues,
            block: self.control.block,
            exec: Some(mask),
            changes: Vec::new(),
        };
        self.count_inactive_readers(inactive_live, 1);
        self.control.divergence_depth += 1;
        self.control.exec = Some(mask);
        let nonempty_mask = self.control.nonempty_mask.replace(mask);
        let end = self.side(inside, body, is_last)?;
        self.control.nonempty_mask = nonempty_mask;
        self.control.divergence_depth -= 1;
        self.count_inactive_readers(inactive_live, -1);
        let skipped = self.function.add_block();
        self.control.block = before.block;
        self.end(Terminator::Branch(
            mask,
            Edge::to(inside),
            Edge::to(skipped),
        ));
        let before = SideEnd {
            block: skipped,
            ..before
        };
        match end.flow {
            Flow::Terminated => self.continue_at(before)?,
            Flow::Continues => {
                self.merge_sides([end, before], |lowering, slot| {
                    lowering.is_read_later(slot.0, inactive_live)
                })?;
                Flow::Continues
            }
        };
        Ok(self.exec_mask())
    }

    /// Whether executing a block for no lane costs less than a branch around it: it assigns a few sums and the like to
    /// promoted variables.
    fn is_cheaper_than_branch(&self, body: &Block) -> bool {
        /// The most vector instructions, apart from selections.
        const MAX_COST: usize = 6;
        let (function, info) = (self.call().function, self.call().info);
        let costs = SpeculationCosts::new(self.module, function, info);
        let mut left = MAX_COST;
        let mut is_left = |cost: Option<usize>| {
            let rest = cost.and_then(|cost| left.checked_sub(cost));
            rest.inspect(|rest| left = *rest).is_some()
        };
        body.iter().all(|statement| match statement {
            Statement::Emit(range) => range.clone().all(|handle| is_left(costs.of(handle))),
            Statement::Store { pointer, .. } => self.is_part_of_promoted_local(*pointer),
            _ => false,
        })
    }

    /// Whether a pointer refers to a known part of a local variable that is an SSA value.
    fn is_part_of_promoted_local(&self, pointer: Handle<Expression>) -> bool {
        let call = self.call();
        let mut at = pointer;
        loop {
            match call.function.expressions[at] {
                Expression::AccessIndex { base, .. } => at = base,
                Expression::LocalVariable(local) => {
                    return matches!(call.locals[local.index()], Lvalue::Variable { .. });
                }
                _ => return false,
            }
        }
    }

    /// Ends the kernel early if no lane is active.
    fn skip_if_none(&mut self) -> Result {
        let (Some(exec), Some(done)) = (self.control.exec, self.done_block()) else {
            return Ok(());
        };
        let next = self.function.add_block();
        self.end(Terminator::Branch(exec, Edge::to(next), Edge::to(done)));
        self.control.block = next;
        self.control.nonempty_mask = Some(exec);
        Ok(())
    }

    pub(super) fn predicated_loop(
        &mut self,
        (body, continuing, break_if): (&'a Block, &'a Block, Option<Handle<Expression>>),
        carried: &[(Slot, Representation)],
        results: &[(Slot, Representation)],
        since: usize,
        live_for_waiting: Members,
    ) -> Result<Flow> {
        let number = self.number_loop();
        let (outer, nonempty_mask) = (self.control.exec, self.control.nonempty_mask);
        let header = self.masked_header(carried)?;
        let exit = self.function.add_block();
        let continued = continues(body).then(|| self.add_continued());
        self.control.scopes.push(Scope::MaskedLoop {
            exit,
            results: results.to_vec(),
            divergence_depth: self.control.divergence_depth,
            is_left: false,
            continued,
            has_waiting_lanes: false,
            live_for_waiting,
        });
        let mut flow = self.statements(body, false)?;
        self.remove_waiting_lanes();
        if flow == Flow::Continues {
            if let Some(continued) = continued {
                self.merge_continued(continued);
            }
            flow = self.statements(continuing, false)?;
        }
        if flow == Flow::Continues {
            self.mask_break_if(break_if)?;
            self.effect(Op::Poll(number), &[]);
            self.masked_latch((header, carried), (exit, results))?;
        }
        if let Some(Scope::MaskedLoop { is_left: true, .. }) = self.control.scopes.pop() {
            flow = Flow::Continues;
        }
        self.roll_back(since);
        self.control.block = exit;
        self.parameters(exit, results);
        (self.control.exec, self.control.nonempty_mask) = (outer, nonempty_mask);
        self.drop_returned();
        Ok(flow)
    }

    /// Enters the header of a divergent loop, whose last parameter is the execution mask.
    fn masked_header(&mut self, carried: &[(Slot, Representation)]) -> Result<BlockId> {
        let has_active_lane = self.has_active_lane();
        let header = self.function.add_block();
        let mut arguments = self.arguments(carried)?;
        arguments.push(self.exec_mask());
        self.end(Terminator::Jump(Edge {
            block: header,
            arguments,
        }));
        self.control.block = header;
        self.parameters(header, carried);
        self.control.exec = Some(self.function.add_parameter(header, Type::Mask));
        if has_active_lane {
            // True in later iterations as well: the back edge is only taken with a non-empty mask.
            self.control.nonempty_mask = self.control.exec;
        }
        Ok(header)
    }

    /// Branches back to the header of a divergent loop while any lane is left, else to its exit.
    fn masked_latch(
        &mut self,
        (header, carried): (BlockId, &[(Slot, Representation)]),
        (exit, results): (BlockId, &[(Slot, Representation)]),
    ) -> Result {
        let mut arguments = self.arguments(carried)?;
        let exec = self.exec_mask();
        arguments.push(exec);
        let back_edge = Edge {
            block: header,
            arguments,
        };
        let exit_edge = Edge {
            block: exit,
            arguments: self.arguments(results)?,
        };
        self.end(Terminator::Branch(exec, back_edge, exit_edge));
        Ok(())
    }

    /// From here to the end of the body of the enclosing divergent loop, lanes may wait for `continuing`, and read
    /// variables there.
    pub(super) fn add_waiting_lanes(&mut self) {
        let mut scopes = self.control.scopes.iter_mut().rev();
        let innermost =
            scopes.find(|scope| matches!(scope, Scope::Loop { .. } | Scope::MaskedLoop { .. }));
        if let Some(Scope::MaskedLoop {
            has_waiting_lanes,
            live_for_waiting,
            ..
        }) = innermost
            && !std::mem::replace(has_waiting_lanes, true)
        {
            let live = live_for_waiting.clone();
            self.count_inactive_readers(&live, 1);
        }
    }

    /// Undoes [`Self::add_waiting_lanes`] at the end of the body.
    fn remove_waiting_lanes(&mut self) {
        if let Some(Scope::MaskedLoop {
            has_waiting_lanes: true,
            live_for_waiting,
            ..
        }) = self.control.scopes.last()
        {
            let live = live_for_waiting.clone();
            self.count_inactive_readers(&live, -1);
        }
    }

    /// Adds the variable for the mask of lanes that execute `continue`; it is empty at the start of an iteration.
    fn add_continued(&mut self) -> VariableId {
        let kinds = [ScalarType::Bool].into();
        let continued = self.add_variable(Owner::Kernel, kinds, vec![Scalar::ZERO]);
        self.replace((continued, 0), Scalar::ZERO);
        continued
    }

    /// Removes the lanes for which the condition of `break if` holds from the execution mask.
    fn mask_break_if(&mut self, break_if: Option<Handle<Expression>>) -> Result {
        if let Some(condition) = break_if {
            let condition = self.scalar(condition)?;
            let condition = self.mask(&condition);
            let exec = self.exec_mask();
            self.control.exec = Some(self.mask_binary(MaskBinary::AndNot, exec, condition));
        }
        Ok(())
    }

    /// Merges the lanes that executed `continue` back into the execution mask.
    fn merge_continued(&mut self, continued: VariableId) {
        let continued = self.slot((continued, 0)).clone();
        let continued = self.mask(&continued);
        let exec = self.exec_mask();
        self.control.exec = Some(self.mask_binary(MaskBinary::Or, exec, continued));
    }

    pub(super) fn predicated_switch(
        &mut self,
        statement: &'a Statement,
        selector: &Scalar,
        cases: &'a [SwitchCase],
    ) -> Result<Flow> {
        let outer = self.control.exec;
        let all = self.exec_mask();
        let default = cases.iter().position(|case| value(case).is_none());
        let is_default_last = default.is_none_or(|index| index + 1 == cases.len());
        // The masks of many cases would all be live at once: each is computed where its case begins.
        let is_early = cases.len() <= MAX_COMPARED_CASES;
        let mut others = all;
        let mut selected = vec![None; cases.len()];
        if is_early || !is_default_last {
            for (case, selected) in cases.iter().zip(&mut selected) {
                *selected = self.case_mask((selector, case), all, Some(&mut others));
            }
        }
        self.control.scopes.push(Scope::MaskedSwitch);
        let mut falling = None;
        for (place, case) in cases.iter().enumerate() {
            self.work(1)?;
            let selected = if is_early {
                selected[place]
            } else {
                let others = is_default_last.then_some(&mut others);
                self.case_mask((selector, case), all, others)
            };
            let mut mask = selected.unwrap_or(others);
            if let Some(falling) = falling.take() {
                mask = self.mask_binary(MaskBinary::Or, mask, falling);
            }
            let end = self.predicated_block(statement, place, mask, &case.body, false)?;
            falling = case.fall_through.then_some(end);
        }
        self.control.scopes.pop();
        self.control.exec = outer;
        self.drop_returned();
        self.drop_continued();
        Ok(Flow::Continues)
    }

    /// The lanes that select a case by its own value; they are removed from `others`.
    fn case_mask(
        &mut self,
        (selector, case): (&Scalar, &SwitchCase),
        all: Value,
        others: Option<&mut Value>,
    ) -> Option<Value> {
        let is_selected = self.is_selected(selector, case)?;
        let mask = self.mask(&is_selected);
        if let Some(others) = others {
            *others = self.mask_binary(MaskBinary::AndNot, *others, mask);
        }
        Some(self.mask_binary(MaskBinary::And, mask, all))
    }

    /// Removes the lanes that wait for the next iteration of the enclosing loop from the execution mask.
    pub(super) fn drop_continued(&mut self) {
        let Some(continued) = self.continued() else {
            return;
        };
        let continued = self.slot((continued, 0)).clone();
        if !matches!(continued, Scalar::Known(0)) {
            let (all, continued) = (self.exec_mask(), self.mask(&continued));
            self.control.exec = Some(self.mask_binary(MaskBinary::AndNot, all, continued));
        }
    }

    /// Removes lanes that have returned from the execution mask.
    pub(super) fn drop_returned(&mut self) {
        let Some(returned) = self.call().returned else {
            return;
        };
        let returned = self.slot((returned, 0)).clone();
        if !matches!(returned, Scalar::Known(0)) {
            let (all, returned) = (self.exec_mask(), self.mask(&returned));
            self.control.exec = Some(self.mask_binary(MaskBinary::AndNot, all, returned));
        }
    }
}
