//! Lowers `loop`: a uniform loop becomes branches, a divergent one iterates under a mask until no lane remains.
//!
//! Divergent loops are in `predication`. `break` and `continue` jump in a uniform loop, and change masks in a divergent
//! one.

use std::collections::BTreeSet;

use anywarp_program::walk;
use naga::{AddressSpace, Block, Expression, Handle, Statement};

use crate::ir::{BlockId, Edge, MaskBinary, Op, Terminator};

use crate::lower::analysis::liveness::{AFTER_CONTINUE, LOOP, continues};
use crate::lower::arithmetic::scalar::Scalar;
use crate::lower::control_flow::branch::carried_form;
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::reference::Lvalue;
use crate::lower::memory::variables::{Owner, Representation, Slot, VariableId};
use crate::lower::{Evaluated, Flow, Lowering, Scope};

impl<'a> Lowering<'a> {
    pub(in crate::lower) fn lower_loop(
        &mut self,
        statement: &'a Statement,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
    ) -> Result<Flow> {
        let analysis = self.call().analysis.clone();
        let live = analysis.liveness.of_statement(statement);
        let assigned = self.assigned(&[body, continuing]);
        // Lanes that have left keep their values, whatever the others do in later iterations.
        let is_divergent = analysis.is_divergent(statement);
        let carried = self.carried(&assigned, |lowering, id| {
            lowering.is_in(id, &live.loop_header)
                || is_divergent && lowering.is_in(id, &live.inactive_live[LOOP])
        });
        let results = self.carried(&assigned, |lowering, id| lowering.is_in(id, &live.after));
        let since = self.body.log.len();
        if !is_divergent {
            let parts = (body, continuing, break_if);
            self.uniform_loop(parts, &carried, &assigned, results, since)
        } else {
            self.count_inactive_readers(&live.inactive_live[LOOP], 1);
            let parts = (body, continuing, break_if);
            let waiting = live.inactive_live[AFTER_CONTINUE].clone();
            let flow = self.predicated_loop(parts, &carried, &results, since, waiting)?;
            self.count_inactive_readers(&live.inactive_live[LOOP], -1);
            Ok(flow)
        }
    }

    /// The slots of variables that pass a test, with the representation in which a loop carries them.
    pub(in crate::lower) fn carried(
        &self,
        variables: &BTreeSet<VariableId>,
        test: impl Fn(&Self, VariableId) -> bool,
    ) -> Vec<(Slot, Representation)> {
        let mut carried = Vec::new();
        for &id in variables.iter().filter(|id| test(self, **id)) {
            let variable = self.variable(id);
            let differs = match variable.owner {
                Owner::Call(call, local) if call == self.call().number => {
                    self.call().analysis.is_varying(local as usize)
                }
                Owner::Call(..) | Owner::Kernel => true,
            };
            for (scalar, kind) in variable.kinds.iter().enumerate() {
                carried.push(((id, scalar as u32), carried_form(*kind, differs)));
            }
        }
        carried
    }

    fn uniform_loop(
        &mut self,
        (body, continuing, break_if): (&'a Block, &'a Block, Option<Handle<Expression>>),
        carried: &[(Slot, Representation)],
        assigned: &BTreeSet<VariableId>,
        results: Vec<(Slot, Representation)>,
        since: usize,
    ) -> Result<Flow> {
        let number = self.number_loop();
        let header = self.function.add_block();
        let exit = self.function.add_block();
        let next = continues(body).then(|| self.function.add_block());
        let into_next = match next {
            Some(_) => self.carried(assigned, |_, _| true),
            None => Vec::new(),
        };
        let (exec, nonempty_mask) = (self.control.exec, self.control.nonempty_mask);
        let is_skipped = self.skip_if_no_active_lane(exit, &results)?;
        let arguments = self.arguments(carried)?;
        self.end(Terminator::Jump(Edge {
            block: header,
            arguments,
        }));
        self.control.block = header;
        self.parameters(header, carried);
        let inside = (self.control.exec, self.control.nonempty_mask);
        self.control.scopes.push(Scope::Loop {
            exit,
            results: results.clone(),
            next: next.map(|block| (block, into_next.clone())),
            is_left: is_skipped,
        });
        let flow = self.statements(body, false)?;
        if let Some(block) = next {
            if flow == Flow::Continues {
                let arguments = self.arguments(&into_next)?;
                self.end(Terminator::Jump(Edge { block, arguments }));
            }
            self.control.block = block;
            self.parameters(block, &into_next);
            // All lanes that began the iteration arrive here, whatever the mask at the end of the body.
            (self.control.exec, self.control.nonempty_mask) = inside;
        }
        let mut is_left = false;
        if flow == Flow::Continues || next.is_some() {
            self.statements(continuing, false)?;
            self.effect(Op::Poll(number), &[]);
            is_left = self.uniform_latch((header, carried), (exit, &results), break_if)?;
        }
        if let Some(Scope::Loop { is_left: left, .. }) = self.control.scopes.pop() {
            is_left |= left;
        }
        self.roll_back(since);
        self.control.block = exit;
        self.parameters(exit, &results);
        (self.control.exec, self.control.nonempty_mask) = (exec, nonempty_mask);
        Ok(Flow::after_exit(is_left))
    }

    /// Branches back to the header of a uniform loop, or to its exit if the condition of `break if` holds. Returns
    /// whether there is an edge to the exit.
    fn uniform_latch(
        &mut self,
        (header, carried): (BlockId, &[(Slot, Representation)]),
        (exit, results): (BlockId, &[(Slot, Representation)]),
        break_if: Option<Handle<Expression>>,
    ) -> Result<bool> {
        let condition = break_if
            .map(|condition| self.scalar(condition))
            .transpose()?;
        let back_edge = Edge {
            block: header,
            arguments: self.arguments(carried)?,
        };
        match condition {
            None | Some(Scalar::Known(0)) => {
                self.end(Terminator::Jump(back_edge));
                Ok(false)
            }
            Some(condition) => {
                let exit_edge = Edge {
                    block: exit,
                    arguments: self.arguments(results)?,
                };
                let condition = self.condition(&condition)?;
                self.end(Terminator::Branch(condition, exit_edge, back_edge));
                Ok(true)
            }
        }
    }

    /// Branches to the exit of a loop if no lane is active: the loop may wait for an effect of an active lane and
    /// never end. Returns whether there is such an edge.
    fn skip_if_no_active_lane(
        &mut self,
        exit: BlockId,
        results: &[(Slot, Representation)],
    ) -> Result<bool> {
        if self.has_active_lane() {
            return Ok(false);
        }
        let arguments = self.arguments(results)?;
        let (exec, inside) = (self.exec_mask(), self.function.add_block());
        let block = exit;
        let skip = Edge { block, arguments };
        self.end(Terminator::Branch(exec, Edge::to(inside), skip));
        self.control.block = inside;
        self.control.nonempty_mask = Some(exec);
        Ok(true)
    }

    /// The number that identifies a loop when a run is interrupted in it.
    pub(in crate::lower) fn number_loop(&mut self) -> u32 {
        self.source.loops.push(self.source.span);
        self.source.loops.len() as u32 - 1
    }

    /// The variables that may be stored to in these blocks.
    pub(in crate::lower) fn assigned(&self, blocks: &[&Block]) -> BTreeSet<VariableId> {
        let mut assigned = BTreeSet::new();
        for statement in blocks.iter().flat_map(|block| walk::statements(block)) {
            match statement {
                Statement::Store { pointer, .. } => assigned.extend(self.root(*pointer)),
                Statement::Call { arguments, .. } => {
                    assigned.extend(arguments.iter().filter_map(|argument| self.root(*argument)));
                    assigned.extend(self.private_variables());
                }
                Statement::Return { .. } => {
                    let call = self.call();
                    assigned.extend(call.result.into_iter().chain(call.returned));
                }
                Statement::Continue => assigned.extend(self.continued()),
                _ => {}
            }
        }
        assigned
    }

    /// The mask of lanes that wait for the next iteration of the enclosing loop.
    pub(in crate::lower) fn continued(&self) -> Option<VariableId> {
        let is_loop =
            |scope: &&Scope| matches!(scope, Scope::Loop { .. } | Scope::MaskedLoop { .. });
        match self.control.scopes.iter().rev().find(is_loop) {
            Some(Scope::MaskedLoop { continued, .. }) => *continued,
            _ => None,
        }
    }

    fn private_variables(&self) -> impl Iterator<Item = VariableId> {
        let globals = self.body.globals.iter().flatten();
        globals.filter_map(|location| match location {
            Lvalue::Variable { id, .. } => Some(*id),
            Lvalue::Memory(_) => None,
        })
    }

    /// The promoted variable that a pointer refers to; `None` if it is in memory.
    fn root(&self, pointer: Handle<Expression>) -> Option<VariableId> {
        let call = self.call();
        let mut at = pointer;
        let lvalue = loop {
            match call.function.expressions[at] {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => at = base,
                Expression::LocalVariable(local) => break call.locals[local.index()].clone(),
                Expression::FunctionArgument(index) => match &call.arguments[index as usize] {
                    Evaluated::Lvalue(lvalue) => break lvalue.clone(),
                    _ => return None,
                },
                Expression::GlobalVariable(global) => {
                    let space = self.module.global_variables[global].space;
                    if space != AddressSpace::Private {
                        return None;
                    }
                    break self.body.globals[global.index()].clone()?;
                }
                _ => return None,
            }
        };
        match lvalue {
            Lvalue::Variable { id, .. } => Some(id),
            Lvalue::Memory(_) => None,
        }
    }

    pub(in crate::lower) fn lower_break(&mut self) -> Result<Flow> {
        let depth = self.control.divergence_depth;
        let (exit, results) = match self.control.scopes.last_mut() {
            // All lanes that are left in the loop are active.
            Some(Scope::MaskedLoop {
                exit,
                results,
                divergence_depth,
                is_left,
                has_waiting_lanes: false,
                ..
            }) if *divergence_depth == depth => {
                *is_left = true;
                (*exit, results.clone())
            }
            Some(Scope::MaskedLoop { .. } | Scope::MaskedSwitch) => {
                self.control.exec = Some(self.mask_const(0));
                return Ok(Flow::Continues);
            }
            Some(
                Scope::Loop {
                    exit,
                    results,
                    is_left,
                    ..
                }
                | Scope::Switch {
                    exit,
                    results,
                    is_left,
                },
            ) => {
                *is_left = true;
                (*exit, results.clone())
            }
            None => return unsupported("a `break` outside of a loop"),
        };
        let arguments = self.arguments(&results)?;
        let block = exit;
        self.end(Terminator::Jump(Edge { block, arguments }));
        Ok(Flow::Terminated)
    }

    pub(in crate::lower) fn lower_continue(&mut self) -> Result<Flow> {
        let is_loop =
            |scope: &&Scope| matches!(scope, Scope::Loop { .. } | Scope::MaskedLoop { .. });
        self.add_waiting_lanes();
        match self.control.scopes.iter().rev().find(is_loop) {
            Some(Scope::MaskedLoop {
                continued: Some(continued),
                ..
            }) => {
                let slot = (*continued, 0);
                let before = self.slot(slot).clone();
                let (before, exec) = (self.mask(&before), self.exec_mask());
                let both = self.mask_binary(MaskBinary::Or, before, exec);
                self.replace(slot, Scalar::Mask(both));
                self.control.exec = Some(self.mask_const(0));
                Ok(Flow::Continues)
            }
            Some(Scope::Loop {
                next: Some((block, carried)),
                ..
            }) => {
                let (block, carried) = (*block, carried.clone());
                let arguments = self.arguments(&carried)?;
                self.end(Terminator::Jump(Edge { block, arguments }));
                Ok(Flow::Terminated)
            }
            _ => unsupported("a `continue` outside of a loop"),
        }
    }
}
