//! Lowers `loop`: a uniform loop becomes branches, a divergent one iterates under a mask until no lane remains.
//!
//! In a divergent loop the execution mask is a parameter of the loop header. `break` clears lanes from it,
//! `continue` collects lanes in a second mask that is merged before `continuing`, and the back edge is taken while
//! any lane is left.

use std::collections::BTreeSet;

use naga::{AddressSpace, Block, Expression, Handle, Statement};

use crate::ir::{BlockId, Edge, MaskBinary, Op, Terminator, Type};

use crate::lower::analysis::liveness::continues;
use crate::lower::arithmetic::scalar::Scalar;
use crate::lower::control_flow::branch::carried_form;
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::layout::ScalarType;
use crate::lower::memory::reference::Lvalue;
use crate::lower::memory::variables::{Form, Owner, Slot, VariableId};
use crate::lower::{Evaluated, Flow, Lowering, Scope};

impl<'a> Lowering<'a> {
    pub(in crate::lower) fn whole_loop(
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
        let carried = self.carried(&assigned, |it, id| {
            it.is_in(id, &live.loop_header) || is_divergent && it.is_in(id, &live.inactive_live[0])
        });
        let results = self.carried(&assigned, |it, id| it.is_in(id, &live.after));
        let since = self.body.log.len();
        if !is_divergent {
            let parts = (body, continuing, break_if);
            self.jumping_loop(parts, &carried, &assigned, results, since)
        } else {
            self.keep(&live.inactive_live[0], 1);
            let parts = (body, continuing, break_if);
            let flow = self.masked_loop(parts, &carried, &results, since)?;
            self.keep(&live.inactive_live[0], -1);
            Ok(flow)
        }
    }

    /// The slots of variables that pass a test, with the representation in which a loop carries them.
    pub(in crate::lower) fn carried(
        &self,
        variables: &BTreeSet<VariableId>,
        test: impl Fn(&Self, VariableId) -> bool,
    ) -> Vec<(Slot, Form)> {
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

    fn jumping_loop(
        &mut self,
        (body, continuing, break_if): (&'a Block, &'a Block, Option<Handle<Expression>>),
        carried: &[(Slot, Form)],
        assigned: &BTreeSet<VariableId>,
        results: Vec<(Slot, Form)>,
        since: usize,
    ) -> Result<Flow> {
        let number = self.number_loop();
        let head = self.function.add_block();
        let exit = self.function.add_block();
        let next = continues(body).then(|| self.function.add_block());
        let into_next = match next {
            Some(_) => self.carried(assigned, |_, _| true),
            None => Vec::new(),
        };
        let (exec, inhabited) = (self.control.exec, self.control.inhabited);
        let is_skipped = self.skip_unless_inhabited(exit, &results)?;
        let arguments = self.arguments(carried)?;
        self.end(Terminator::Jump(Edge {
            block: head,
            arguments,
        }));
        self.control.block = head;
        self.parameters(head, carried);
        let inside = (self.control.exec, self.control.inhabited);
        self.control.scopes.push(Scope::Loop {
            exit,
            results: results.clone(),
            next: next.map(|block| (block, into_next.clone())),
            is_left: is_skipped,
        });
        let flow = self.statements(body, false)?;
        if let Some(block) = next {
            if flow == Flow::Goes {
                let arguments = self.arguments(&into_next)?;
                self.end(Terminator::Jump(Edge { block, arguments }));
            }
            self.control.block = block;
            self.parameters(block, &into_next);
            // All lanes that began the iteration arrive here, whatever the mask at the end of the body.
            (self.control.exec, self.control.inhabited) = inside;
        }
        let mut is_left = false;
        if flow == Flow::Goes || next.is_some() {
            self.statements(continuing, false)?;
            self.effect(Op::Poll(number), &[]);
            let condition = break_if.map(|it| self.scalar(it)).transpose()?;
            let again = self.arguments(carried)?;
            let again = Edge {
                block: head,
                arguments: again,
            };
            match condition {
                None | Some(Scalar::Known(0)) => self.end(Terminator::Jump(again)),
                Some(condition) => {
                    let arguments = self.arguments(&results)?;
                    let leave = Edge {
                        block: exit,
                        arguments,
                    };
                    let condition = self.condition(&condition)?;
                    self.end(Terminator::Branch(condition, leave, again));
                    is_left = true;
                }
            }
        }
        if let Some(Scope::Loop { is_left: left, .. }) = self.control.scopes.pop() {
            is_left |= left;
        }
        self.take_back(since);
        self.control.block = exit;
        self.parameters(exit, &results);
        (self.control.exec, self.control.inhabited) = (exec, inhabited);
        Ok(if is_left { Flow::Goes } else { Flow::Ends })
    }

    /// Branches to the exit of a loop if no lane is active: the loop may wait for an effect of an active lane and
    /// never end. Returns whether there is such an edge.
    fn skip_unless_inhabited(&mut self, exit: BlockId, results: &[(Slot, Form)]) -> Result<bool> {
        if self.is_inhabited() {
            return Ok(false);
        }
        let arguments = self.arguments(results)?;
        let (exec, inside) = (self.exec_mask(), self.function.add_block());
        let block = exit;
        let skip = Edge { block, arguments };
        self.end(Terminator::Branch(exec, Edge::to(inside), skip));
        self.control.block = inside;
        self.control.inhabited = Some(exec);
        Ok(true)
    }

    fn masked_loop(
        &mut self,
        (body, continuing, break_if): (&'a Block, &'a Block, Option<Handle<Expression>>),
        carried: &[(Slot, Form)],
        results: &[(Slot, Form)],
        since: usize,
    ) -> Result<Flow> {
        let number = self.number_loop();
        let (outer, inhabited) = (self.control.exec, self.control.inhabited);
        let is_inhabited = self.is_inhabited();
        let head = self.function.add_block();
        let exit = self.function.add_block();
        let mut arguments = self.arguments(carried)?;
        arguments.push(self.exec_mask());
        self.end(Terminator::Jump(Edge {
            block: head,
            arguments,
        }));
        self.control.block = head;
        self.parameters(head, carried);
        self.control.exec = Some(self.function.add_parameter(head, Type::Mask));
        if is_inhabited {
            // True in later iterations as well: the back edge is only taken with a non-empty mask.
            self.control.inhabited = self.control.exec;
        }
        let continued = continues(body).then(|| {
            let kinds = [ScalarType::Bool].into();
            self.add_variable(Owner::Kernel, kinds, vec![Scalar::ZERO])
        });
        if let Some(continued) = continued {
            self.replace((continued, 0), Scalar::ZERO);
        }
        self.control.scopes.push(Scope::MaskedLoop { continued });
        let mut flow = self.statements(body, false)?;
        if flow == Flow::Goes {
            if let Some(continued) = continued {
                let continued = self.slot((continued, 0)).clone();
                let continued = self.mask(&continued);
                let exec = self.exec_mask();
                self.control.exec = Some(self.mask_binary(MaskBinary::Or, exec, continued));
            }
            flow = self.statements(continuing, false)?;
        }
        if flow == Flow::Goes {
            if let Some(condition) = break_if {
                let condition = self.scalar(condition)?;
                let condition = self.mask(&condition);
                let exec = self.exec_mask();
                self.control.exec = Some(self.mask_binary(MaskBinary::AndNot, exec, condition));
            }
            self.effect(Op::Poll(number), &[]);
            let mut arguments = self.arguments(carried)?;
            let exec = self.exec_mask();
            arguments.push(exec);
            let again = Edge {
                block: head,
                arguments,
            };
            let arguments = self.arguments(results)?;
            let leave = Edge {
                block: exit,
                arguments,
            };
            self.end(Terminator::Branch(exec, again, leave));
        }
        self.control.scopes.pop();
        self.take_back(since);
        self.control.block = exit;
        self.parameters(exit, results);
        (self.control.exec, self.control.inhabited) = (outer, inhabited);
        self.drop_returned();
        Ok(flow)
    }

    /// The number that identifies a loop when a run is interrupted in it.
    pub(in crate::lower) fn number_loop(&mut self) -> u32 {
        self.source.loops.push(self.source.span);
        self.source.loops.len() as u32 - 1
    }

    /// Removes lanes that have returned from the execution mask.
    pub(in crate::lower) fn drop_returned(&mut self) {
        let Some(returned) = self.call().returned else {
            return;
        };
        let returned = self.slot((returned, 0)).clone();
        if !matches!(returned, Scalar::Known(0)) {
            let (all, returned) = (self.exec_mask(), self.mask(&returned));
            self.control.exec = Some(self.mask_binary(MaskBinary::AndNot, all, returned));
        }
    }

    /// The variables that may be stored to in these blocks.
    pub(in crate::lower) fn assigned(&self, blocks: &[&Block]) -> BTreeSet<VariableId> {
        let mut assigned = BTreeSet::new();
        for block in blocks {
            self.find_assigned(block, &mut assigned);
        }
        assigned
    }

    fn find_assigned(&self, block: &Block, assigned: &mut BTreeSet<VariableId>) {
        for statement in block {
            match statement {
                Statement::Store { pointer, .. } => assigned.extend(self.root(*pointer)),
                Statement::Call { arguments, .. } => {
                    assigned.extend(arguments.iter().filter_map(|it| self.root(*it)));
                    assigned.extend(self.private_variables());
                }
                Statement::Return { .. } => {
                    let call = self.call();
                    assigned.extend(call.result.into_iter().chain(call.returned));
                }
                Statement::Continue => assigned.extend(self.continued()),
                Statement::Block(block) => self.find_assigned(block, assigned),
                Statement::If { accept, reject, .. } => {
                    self.find_assigned(accept, assigned);
                    self.find_assigned(reject, assigned);
                }
                Statement::Switch { cases, .. } => {
                    for case in cases {
                        self.find_assigned(&case.body, assigned);
                    }
                }
                Statement::Loop {
                    body, continuing, ..
                } => {
                    self.find_assigned(body, assigned);
                    self.find_assigned(continuing, assigned);
                }
                _ => {}
            }
        }
    }

    /// The mask of lanes that wait for the next iteration of the enclosing loop.
    pub(in crate::lower) fn continued(&self) -> Option<VariableId> {
        let is_loop = |it: &&Scope| matches!(it, Scope::Loop { .. } | Scope::MaskedLoop { .. });
        match self.control.scopes.iter().rev().find(is_loop) {
            Some(Scope::MaskedLoop { continued }) => *continued,
            _ => None,
        }
    }

    fn private_variables(&self) -> impl Iterator<Item = VariableId> {
        let globals = self.body.globals.iter().flatten();
        globals.filter_map(|it| match it {
            Lvalue::Variable { id, .. } => Some(*id),
            Lvalue::Memory(_) => None,
        })
    }

    /// The promoted variable that a pointer refers to; `None` if it is in memory.
    fn root(&self, pointer: Handle<Expression>) -> Option<VariableId> {
        let call = self.call();
        let mut at = pointer;
        let place = loop {
            match call.function.expressions[at] {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => at = base,
                Expression::LocalVariable(local) => break call.locals[local.index()].clone(),
                Expression::FunctionArgument(index) => match &call.arguments[index as usize] {
                    Evaluated::Lvalue(place) => break place.clone(),
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
        match place {
            Lvalue::Variable { id, .. } => Some(id),
            Lvalue::Memory(_) => None,
        }
    }

    pub(in crate::lower) fn break_out(&mut self) -> Result<Flow> {
        let (exit, results) = match self.control.scopes.last_mut() {
            Some(Scope::MaskedLoop { .. } | Scope::MaskedSwitch) => {
                self.control.exec = Some(self.mask_const(0));
                return Ok(Flow::Goes);
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
        Ok(Flow::Ends)
    }

    pub(in crate::lower) fn continue_on(&mut self) -> Result<Flow> {
        let is_loop = |it: &&Scope| matches!(it, Scope::Loop { .. } | Scope::MaskedLoop { .. });
        match self.control.scopes.iter().rev().find(is_loop) {
            Some(Scope::MaskedLoop {
                continued: Some(continued),
            }) => {
                let slot = (*continued, 0);
                let before = self.slot(slot).clone();
                let (before, exec) = (self.mask(&before), self.exec_mask());
                let both = self.mask_binary(MaskBinary::Or, before, exec);
                self.replace(slot, Scalar::Mask(both));
                self.control.exec = Some(self.mask_const(0));
                Ok(Flow::Goes)
            }
            Some(Scope::Loop {
                next: Some((block, carried)),
                ..
            }) => {
                let (block, carried) = (*block, carried.clone());
                let arguments = self.arguments(&carried)?;
                self.end(Terminator::Jump(Edge { block, arguments }));
                Ok(Flow::Ends)
            }
            _ => unsupported("a `continue` outside of a loop"),
        }
    }
}
