//! Translation of structured control flow nodes, phis and calls to naga statements.
//!
//! In: the tree of nodes from `structure`. Out: nested naga statements. Phi elimination: a phi becomes a local
//! variable that is assigned on each edge to its block. Flags become local variables. Calls pass pointers and
//! resources as the specialization of the callee requires.

use anywarp_program::naga::{
    BinaryOperator, Expression, Handle, Literal, LocalVariable, Scalar, ScalarKind, Statement,
    SwitchCase, SwitchValue, TypeInner, UnaryOperator,
};
use rspirv::spirv::{Decoration, Op, StorageClass};

use super::body::{Body, SpirvValue};
use super::memory::{Index, Pointer, Root, Step};
use crate::error::{ReadError, Result};
use crate::maps::HashMap;
use crate::module::{Function, Id, Instruction, OpClass, class_of};
use crate::read::images::ArgumentPassing;
use crate::read::specialized_pointers::{PointerSpecialization, SpecializedStep};
use crate::read::structure::{BlockIndex, BreakIf, Case, Flag, List, ListArena, Node};
use crate::read::types::Type;

/// A function with its structure and the variables of flags and phis.
pub(crate) struct Flow<'f, 'a> {
    pub(crate) function: &'f Function<'a>,
    pub(crate) arena: &'f ListArena<Node>,
    pub(crate) flags: Vec<Handle<LocalVariable>>,
    pub(crate) phis: HashMap<Id, Handle<LocalVariable>>,
    /// Variable pointers for the phis of pointers.
    pub(crate) pointers: HashMap<Id, SpirvValue>,
}

impl<'a> Body<'_, 'a> {
    pub(crate) fn nodes(&mut self, flow: &mut Flow<'_, 'a>, nodes: List) -> Result<()> {
        let arena = flow.arena;
        arena.iter(nodes).try_for_each(|node| self.node(flow, node))
    }

    fn inner_nodes(&mut self, flow: &mut Flow<'_, 'a>, nodes: List) -> Result<naga::Block> {
        self.braces(|body| body.nodes(flow, nodes))
    }

    fn node(&mut self, flow: &mut Flow<'_, 'a>, node: &Node) -> Result<()> {
        match node {
            Node::Block(block) => self.block(flow, *block)?,
            Node::Edge { from, to } => self.edge(flow, *from, *to)?,
            Node::If {
                block,
                accept,
                reject,
            } => {
                let end = flow.function.blocks[*block].terminator();
                self.reader.locate(end.offset);
                let condition = self.value(end.id(0)?)?;
                let accept = self.inner_nodes(flow, *accept)?;
                let reject = self.inner_nodes(flow, *reject)?;
                self.push(Statement::If {
                    condition,
                    accept,
                    reject,
                });
            }
            Node::Switch { block, cases } => self.switch(flow, *block, cases)?,
            Node::Breakable(nodes) => {
                let selector = self.literal(Literal::I32(0));
                let body = self.inner_nodes(flow, *nodes)?;
                self.push(Statement::Switch {
                    selector,
                    cases: vec![SwitchCase {
                        value: SwitchValue::Default,
                        body,
                        fall_through: false,
                    }],
                });
            }
            Node::Loop {
                body,
                continuing,
                break_if,
            } => {
                let body = self.inner_nodes(flow, *body)?;
                let mut condition = None;
                let continuing = self.braces(|inner| {
                    inner.nodes(flow, *continuing)?;
                    condition = inner.break_if(flow, *break_if)?;
                    Ok(())
                })?;
                self.push(Statement::Loop {
                    body,
                    continuing,
                    break_if: condition,
                });
            }
            Node::Break => self.push(Statement::Break),
            Node::Continue => self.push(Statement::Continue),
            Node::SetFlag(flag, value) => {
                let value = self.literal(Literal::U32(*value));
                let local = self.flag(flow, *flag);
                self.store_local(local, value);
            }
            Node::IfFlag(flag, value, nodes) => {
                let local = self.flag(flow, *flag);
                let left = self.load_local(local);
                let right = self.literal(Literal::U32(*value));
                let condition = self.add(Expression::Binary {
                    op: BinaryOperator::Equal,
                    left,
                    right,
                });
                let accept = self.inner_nodes(flow, *nodes)?;
                self.push(Statement::If {
                    condition,
                    accept,
                    reject: Default::default(),
                });
            }
            Node::Terminator(block) => self.leave(flow, *block)?,
        }
        Ok(())
    }

    fn flag(&mut self, flow: &mut Flow<'_, 'a>, flag: Flag) -> Handle<LocalVariable> {
        while flow.flags.len() <= flag.0 as usize {
            let ty = self.reader.insert_type(TypeInner::Scalar(Scalar::U32));
            let local = self.local(Some("jump".to_owned()), ty);
            flow.flags.push(local);
        }
        flow.flags[flag.0 as usize]
    }

    fn break_if(
        &mut self,
        flow: &Flow<'_, 'a>,
        break_if: BreakIf,
    ) -> Result<Option<Handle<Expression>>> {
        Ok(match break_if {
            BreakIf::Never => None,
            BreakIf::Endless => Some(self.literal(Literal::Bool(false))),
            BreakIf::Condition { block, is } => {
                let end = flow.function.blocks[block].terminator();
                let expr = self.value(end.id(0)?)?;
                let op = UnaryOperator::LogicalNot;
                Some(if is {
                    expr
                } else {
                    self.add(Expression::Unary { op, expr })
                })
            }
        })
    }

    fn block(&mut self, flow: &mut Flow<'_, 'a>, block: BlockIndex) -> Result<()> {
        let block = &flow.function.blocks[block];
        for phi in block.phis() {
            if self.is_pointer_phi(&phi)? {
                let incoming = self.pointer_phi(flow, &phi)?;
                let pointer = self.copied_pointer(&incoming)?;
                self.values.insert(phi.result()?, pointer);
                continue;
            }
            let local = self.phi(flow, &phi)?;
            let value = self.load_local(local);
            self.set(&phi, value)?;
        }
        for instruction in block.body() {
            self.reader.locate(instruction.offset);
            self.instruction(&instruction).map_err(|error| {
                let line = self.reader.spirv.line(instruction.offset);
                error
                    .at(instruction.offset, Some(instruction.op))
                    .of_line(line)
            })?;
        }
        Ok(())
    }

    fn phi(
        &mut self,
        flow: &mut Flow<'_, 'a>,
        phi: &Instruction<'_>,
    ) -> Result<Handle<LocalVariable>> {
        let id = phi.result()?;
        if let Some(local) = flow.phis.get(&id) {
            return Ok(*local);
        }
        let ty = self.reader.value_type(phi.result_type()?)?;
        let local = self.local(self.reader.spirv.names.of(id).map(str::to_owned), ty);
        flow.phis.insert(id, local);
        Ok(local)
    }

    fn is_pointer_phi(&self, phi: &Instruction<'_>) -> Result<bool> {
        let ty = self.reader.types.get(phi.result_type()?)?;
        Ok(matches!(ty, Type::Pointer { .. }))
    }

    /// The variable pointer that predecessors assign to for a phi of pointers.
    fn pointer_phi(
        &mut self,
        flow: &mut Flow<'_, 'a>,
        phi: &Instruction<'_>,
    ) -> Result<SpirvValue> {
        let id = phi.result()?;
        if let Some(known) = flow.pointers.get(&id) {
            return Ok(known.clone());
        }
        let made = self.new_pointer_phi(phi)?;
        flow.pointers.insert(id, made.clone());
        Ok(made)
    }

    /// Assigns the phis of the block at the end of an edge.
    fn edge(&mut self, flow: &mut Flow<'_, 'a>, from: BlockIndex, to: BlockIndex) -> Result<()> {
        let label = flow.function.blocks[from].label;
        for phi in flow.function.blocks[to].phis() {
            let pairs = phi.operands.chunks_exact(2);
            let mut taken = pairs.filter(|pair| Id(pair[1]) == label);
            let Some(pair) = taken.next() else {
                return Err(phi.invalid(format!("it has no value for its predecessor {label}")));
            };
            if self.is_pointer_phi(&phi)? {
                let target = self.pointer_phi(flow, &phi)?;
                self.assign(&target, Id(pair[0]))?;
                continue;
            }
            let value = self.value(Id(pair[0]))?;
            let local = self.phi(flow, &phi)?;
            self.store_local(local, value);
        }
        Ok(())
    }

    fn switch(&mut self, flow: &mut Flow<'_, 'a>, block: BlockIndex, cases: &[Case]) -> Result<()> {
        let end = flow.function.blocks[block].terminator();
        let selector = self.value(end.id(0)?)?;
        let ty = self.type_id(end.id(0)?)?;
        let TypeInner::Scalar(scalar) = self.inner(ty)? else {
            return Err(end.invalid("its selector is no integer"));
        };
        // WGSL has no 64-bit selectors: the switch is then over the case index, counted from 1.
        let (selector, is_numbered) = match scalar.width {
            4 => (selector, false),
            _ => (self.case_number(scalar, selector, cases), true),
        };
        let mut made = Vec::new();
        for (number, case) in (1..).zip(cases) {
            let values: Vec<_> = match is_numbered {
                true if case.values.is_empty() => Vec::new(),
                true => vec![SwitchValue::U32(number)],
                false => {
                    let values = case.values.iter().map(|value| match scalar.kind {
                        ScalarKind::Sint => SwitchValue::I32((*value as u32).cast_signed()),
                        _ => SwitchValue::U32(*value as u32),
                    });
                    values.collect()
                }
            };
            let default = case.is_default.then_some(SwitchValue::Default);
            let mut values: Vec<_> = values.into_iter().chain(default).collect();
            let last = values.pop();
            made.extend(values.into_iter().map(|value| SwitchCase {
                value,
                body: Default::default(),
                fall_through: true,
            }));
            let mut body = self.inner_nodes(flow, case.body)?;
            if case.falls_through && body.is_empty() {
                // naga interprets an empty case that falls through as another value of the next case.
                body.push(Statement::Block(Default::default()), self.reader.span);
            }
            made.extend(last.map(|value| SwitchCase {
                value,
                body,
                fall_through: case.falls_through,
            }));
        }
        self.push(Statement::Switch {
            selector,
            cases: made,
        });
        Ok(())
    }

    /// The index of the case that a 64-bit selector selects, counted from 1; 0 if none.
    fn case_number(
        &mut self,
        scalar: Scalar,
        selector: Handle<Expression>,
        cases: &[Case],
    ) -> Handle<Expression> {
        let mut found = self.literal(Literal::U32(0));
        for (number, case) in (1..).zip(cases) {
            for value in &case.values {
                let value = self.literal(match scalar.kind {
                    ScalarKind::Sint => Literal::I64(value.cast_signed()),
                    _ => Literal::U64(*value),
                });
                let condition = self.two(BinaryOperator::Equal, selector, value);
                let accept = self.literal(Literal::U32(number));
                found = self.add(Expression::Select {
                    condition,
                    accept,
                    reject: found,
                });
            }
        }
        found
    }

    fn leave(&mut self, flow: &Flow<'_, 'a>, block: BlockIndex) -> Result<()> {
        let end = &flow.function.blocks[block].terminator();
        let value = match end.op {
            Op::Return => None,
            Op::ReturnValue => Some(self.value(end.id(0)?)?),
            Op::Kill | Op::TerminateInvocation => {
                if let Some(flag) = self.reader.termination_flag(flow.function.id) {
                    let value = self.literal(Literal::Bool(true));
                    let pointer = self.global(flag);
                    self.push(Statement::Store { pointer, value });
                }
                // WGSL's `discard` demotes to a helper invocation, whose effects are not visible.
                self.push(Statement::Kill);
                self.zero_result()
            }
            Op::Unreachable => self.zero_result(),
            _ => return Err(end.unsupported("this end of a block")),
        };
        self.push(Statement::Return { value });
        Ok(())
    }

    fn zero_result(&mut self) -> Option<Handle<Expression>> {
        let ty = self.function.result.as_ref()?.ty;
        Some(self.add_apart(Expression::ZeroValue(ty)))
    }

    /// Translates any instruction but a terminator.
    pub(crate) fn instruction(&mut self, instruction: &Instruction<'a>) -> Result<()> {
        if let Some((operand, pointer)) = self.variable_pointer_operand(instruction) {
            return self.for_each_candidate_of(instruction, operand, &pointer);
        }
        match class_of(instruction.op) {
            OpClass::Variable => self.variable(instruction),
            OpClass::Memory => self.memory(instruction),
            OpClass::Select => self.select(instruction),
            OpClass::PointerComparison => self.pointer_comparison(instruction),
            OpClass::Arithmetic => self.arithmetic(instruction),
            OpClass::Comparison => self.comparison(instruction),
            OpClass::Derivative => self.derivatives(instruction),
            OpClass::Conversion => self.conversion(instruction),
            OpClass::Composite => self.composite(instruction),
            OpClass::Image => self.image(instruction),
            OpClass::SparseImage => Err(instruction.unsupported("sparse images")),
            OpClass::ExtendedSet => self.extended_instruction(instruction),
            OpClass::IntegerDot => self.integer_dot(instruction),
            OpClass::Atomic => self.atomic(instruction),
            OpClass::Barrier => self.barrier(instruction),
            OpClass::Subgroup => self.subgroup(instruction),
            OpClass::Ballot => self.ballot_instruction(instruction),
            OpClass::Collective => self.collective(instruction),
            OpClass::Call => self.call(instruction),
            OpClass::Undefined => self.undefined(instruction),
            OpClass::NoEffect => Ok(()),
            OpClass::Decoration | OpClass::Type | OpClass::Constant | OpClass::Other => {
                Err(instruction.unsupported("this instruction"))
            }
        }
    }

    /// `OpUndef`; its value is zero.
    fn undefined(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let ty = self.reader.value_type(instruction.result_type()?)?;
        let zero = self.add_apart(Expression::ZeroValue(ty));
        self.set(instruction, zero)
    }

    /// The steps of a pointer argument for the specialization of the callee. Array indices become arguments of the
    /// callee even if they are constants, or there would be too many specializations. Only constant indices into
    /// vectors, matrices and bindings are part of the specialization.
    fn handed_steps(&mut self, pointer: &Pointer) -> Result<Vec<SpecializedStep>> {
        let mut ty = Some(pointer.ty);
        let mut steps = Vec::new();
        for step in pointer.steps.iter() {
            let of = ty.map(|ty| self.reader.types.get(ty)).transpose()?.cloned();
            let (step, part) = match (*step, of) {
                (Step::Member(member), Some(Type::Struct { members })) => (
                    SpecializedStep::Member(member),
                    members.get(member as usize).copied(),
                ),
                (Step::Member(member), _) => (SpecializedStep::Member(member), None),
                (Step::Index(index), of) => {
                    let (element, is_array) = match of {
                        Some(Type::Array { element, .. } | Type::RuntimeArray { element }) => {
                            (Some(element), true)
                        }
                        Some(Type::Matrix { column, .. }) => (Some(column), false),
                        _ => (None, false),
                    };
                    let is_binding = steps.is_empty()
                        && (pointer.class == StorageClass::UniformConstant
                            || self.is_block(element));
                    let is_fixed = !is_array || is_binding;
                    let step = match index {
                        Index::Value(id)
                            if is_fixed && self.reader.constants.integer(id).is_some() =>
                        {
                            SpecializedStep::Constant(id)
                        }
                        Index::Value(id) => SpecializedStep::Argument(self.type_of(id)?),
                        Index::Argument(argument) => {
                            SpecializedStep::Argument(self.function.arguments[argument as usize].ty)
                        }
                        Index::Local(local) => {
                            SpecializedStep::Argument(self.function.local_variables[local].ty)
                        }
                    };
                    (step, element)
                }
            };
            steps.push(step);
            ty = part;
        }
        Ok(steps)
    }

    /// The specialization of a callee for a pointer argument.
    pub(super) fn handed_over(&mut self, pointer: &Pointer) -> Result<PointerSpecialization> {
        let Root::Global(global) = pointer.root else {
            return Err(ReadError::invalid(
                "a pointer begins in no variable of the module",
            ));
        };
        let steps = self.handed_steps(pointer)?;
        Ok(PointerSpecialization {
            global,
            ty: pointer.ty,
            atomics: pointer.atomics.clone(),
            steps,
            class: pointer.class,
        })
    }

    /// Whether an array element is a binding of its own (a `Block` or `BufferBlock`).
    fn is_block(&self, element: Option<Id>) -> bool {
        let Some(element) = element else {
            return false;
        };
        let decorations = &self.reader.spirv.decorations;
        let kinds = [Decoration::Block, Decoration::BufferBlock];
        kinds.iter().any(|kind| decorations.has(element, *kind))
    }

    /// Adds the dynamic indices of a specialized pointer to the call arguments.
    pub(super) fn hand_over_indices(
        &mut self,
        pointer: &Pointer,
        handed: &PointerSpecialization,
        arguments: &mut Vec<Handle<Expression>>,
    ) -> Result<()> {
        for (step, handed) in pointer.steps.iter().zip(&handed.steps) {
            if let (Step::Index(index), SpecializedStep::Argument(_)) = (step, handed) {
                arguments.push(self.index_value(*index)?);
            }
        }
        Ok(())
    }

    fn call(&mut self, instruction: &Instruction<'a>) -> Result<()> {
        let callee = instruction.id(0)?;
        if let Some(operator) = self.reader.facts.operators.get(&callee).copied() {
            let value = self.guarded(operator, instruction.id(1)?, instruction.id(2)?)?;
            return self.set(instruction, value);
        }
        let mut arguments = Vec::new();
        let mut handed = Vec::new();
        for (index, id) in instruction.ids(1).enumerate() {
            let ty = self.type_id(id)?;
            if self.reader.is_resource(ty)? {
                handed.push(self.pass(callee, id, &handed, &mut arguments)?);
                continue;
            }
            let Type::Pointer { .. } = self.reader.types.get(ty)? else {
                arguments.push(self.value(id)?);
                continue;
            };
            if let Some(value) = self.carried.get(&id) {
                arguments.push(*value);
                continue;
            }
            let pointer = self.pointer(id)?;
            if self.reader.facts.by_value.takes_value(callee, index) {
                arguments.push(self.load(&pointer)?);
                continue;
            }
            if !self.reader.hands_over(callee, index)? {
                arguments.push(self.pointer_argument(&pointer)?);
                continue;
            }
            let over = self.handed_over(&pointer)?;
            self.hand_over_indices(&pointer, &over, &mut arguments)?;
            handed.push(ArgumentPassing::Pointer(over));
        }
        let function = self.reader.function_with(callee, &handed)?;
        let has_result = self.reader.module.functions[function].result.is_some();
        let result = has_result.then(|| self.add_apart(Expression::CallResult(function)));
        self.push(Statement::Call {
            function,
            arguments,
            result,
        });
        self.return_if_killed(callee)?;
        if let Some(result) = result {
            self.set(instruction, result)?;
        }
        Ok(())
    }

    /// After a call of a function that may end the invocation: returns if it did.
    fn return_if_killed(&mut self, callee: Id) -> Result<()> {
        let Some(flag) = self.reader.termination_flag(callee) else {
            return Ok(());
        };
        let pointer = self.global(flag);
        let condition = self.add(Expression::Load { pointer });
        let accept = self.braces(|body| {
            let value = body.zero_result();
            body.push(Statement::Return { value });
            Ok(())
        })?;
        self.push(Statement::If {
            condition,
            accept,
            reject: Default::default(),
        });
        Ok(())
    }
}
