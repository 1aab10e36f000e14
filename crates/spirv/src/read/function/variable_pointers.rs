//! Variable pointers: pointers selected at run time.
//!
//! SPIR-V allows `OpSelect` and `OpPhi` on pointers to storage buffers and workgroup memory, and pointer arithmetic by
//! `OpPtrAccessChain`. WGSL has no such pointers. A pointer analysis finds all variables and member paths that such a
//! pointer may have. The pointer then becomes a tag variable, which selects among these if there are several, and a
//! variable for each index; an instruction that uses it becomes a switch over the tag.

use std::rc::Rc;

use anywarp_program::naga::{
    BinaryOperator as Binary, Expression, Handle, Literal, LocalVariable, Scalar, ScalarKind,
    Statement, SwitchCase, SwitchValue, TypeInner,
};
use rspirv::spirv::Op;

use super::body::{Body, SpirvValue};
use super::memory::{Index, Pointer, Step};
use crate::error::{ReadError, Result};
use crate::module::{Id, Instruction};
use crate::read::types::Type;

/// The maximum number of definitions visited by the analysis of one pointer.
const MAX_STEPS: u32 = 4096;

/// The maximum number of variables and member paths that one pointer may select from.
const MAX_CANDIDATES: usize = 64;

/// A pointer selected at run time.
#[derive(Clone, Debug)]
pub(crate) struct VariablePointer {
    /// The variable with the index of the selected candidate.
    tag: Handle<LocalVariable>,
    candidates: Vec<Pointer>,
}

/// A pointer without the values of its indices: what the candidates of a variable pointer differ in.
#[derive(Clone)]
struct PointerShape {
    /// The base, without steps.
    root: Pointer,
    /// Members; `None` for indices.
    steps: Vec<Option<u32>>,
}

impl PointerShape {
    fn of(pointer: &Pointer) -> Self {
        let steps = pointer.steps.iter().map(|step| match step {
            Step::Member(member) => Some(*member),
            Step::Index(_) => None,
        });
        let steps = steps.collect();
        let root = Pointer {
            steps: Default::default(),
            ..pointer.clone()
        };
        Self { root, steps }
    }

    fn is(&self, other: &Self) -> bool {
        self.root.root == other.root.root && self.steps == other.steps
    }
}

impl<'a> Body<'_, 'a> {
    pub(super) fn select(&mut self, instruction: &Instruction<'a>) -> Result<()> {
        let ty = instruction.result_type()?;
        if !matches!(self.reader.types.get(ty)?, Type::Pointer { .. }) {
            let value = self.select_value(instruction)?;
            return self.set(instruction, value);
        }
        let (accepted, rejected) = (instruction.id(1)?, instruction.id(2)?);
        let selected = self.new_variable_pointer(instruction, &[accepted, rejected])?;
        let condition = self.value(instruction.id(0)?)?;
        let accept = self.braces(|body| body.assign(&selected, accepted))?;
        let reject = self.braces(|body| body.assign(&selected, rejected))?;
        self.push(Statement::If {
            condition,
            accept,
            reject,
        });
        self.values.insert(instruction.result()?, selected);
        Ok(())
    }

    /// Translates a pointer comparison or difference.
    pub(super) fn pointer_comparison(&mut self, instruction: &Instruction<'a>) -> Result<()> {
        let value = match instruction.op {
            Op::PtrEqual => self.pointers_equal(instruction.id(0)?, instruction.id(1)?)?,
            Op::PtrNotEqual => {
                let equal = self.pointers_equal(instruction.id(0)?, instruction.id(1)?)?;
                self.not(equal)
            }
            _ => self.pointer_difference(instruction)?,
        };
        self.set(instruction, value)
    }

    /// The variables of an `OpPhi` of pointers.
    pub(super) fn new_pointer_phi(&mut self, phi: &Instruction<'_>) -> Result<SpirvValue> {
        let sources = phi.operands.chunks_exact(2).map(|pair| Id(pair[0]));
        let sources: Vec<Id> = sources.collect();
        self.new_variable_pointer(phi, &sources)
    }

    /// A copy of a pointer in variables of its own, which later assignments to the original do not change.
    pub(super) fn copied_pointer(&mut self, from: &SpirvValue) -> Result<SpirvValue> {
        let candidates = match from {
            SpirvValue::Pointer(pointer) => vec![PointerShape::of(pointer)],
            SpirvValue::VariablePointer(variable_pointer) => variable_pointer
                .candidates
                .iter()
                .map(PointerShape::of)
                .collect(),
            _ => return Err(ReadError::invalid("it is no pointer")),
        };
        let copy = self.variable_pointer_of(candidates)?;
        self.assign_pointer_value(&copy, from)?;
        Ok(copy)
    }

    /// A variable pointer with all candidates of these sources.
    fn new_variable_pointer(
        &mut self,
        instruction: &Instruction<'_>,
        sources: &[Id],
    ) -> Result<SpirvValue> {
        let mut search = Search {
            path: Vec::new(),
            steps: 0,
        };
        let mut found: Vec<PointerShape> = Vec::new();
        for source in sources {
            for shape in self.shapes(*source, &mut search)? {
                if !found.iter().any(|known| known.is(&shape)) {
                    found.push(shape);
                }
            }
        }
        if found.is_empty() {
            return Err(instruction.unsupported("a pointer that is never anything but null"));
        }
        if found.len() > MAX_CANDIDATES {
            let feature = format!("a pointer that can be more than {MAX_CANDIDATES} things");
            return Err(instruction.unsupported(feature));
        }
        self.variable_pointer_of(found)
    }

    fn variable_pointer_of(&mut self, shapes: Vec<PointerShape>) -> Result<SpirvValue> {
        let number = self.reader.insert_type(TypeInner::Scalar(Scalar::U32));
        let mut candidates = Vec::new();
        for shape in shapes {
            let steps = shape.steps.iter().map(|step| match step {
                Some(member) => Step::Member(*member),
                None => Step::Index(Index::Local(self.local(Some("index".to_owned()), number))),
            });
            let steps = steps.collect();
            candidates.push(Pointer {
                steps,
                ..shape.root
            });
        }
        if let [_] = candidates.as_slice() {
            return Ok(SpirvValue::Pointer(Rc::new(candidates.remove(0))));
        }
        let tag = self.local(Some("chosen".to_owned()), number);
        self.has_variable_pointers = true;
        Ok(SpirvValue::VariablePointer(Box::new(VariablePointer {
            tag,
            candidates,
        })))
    }

    /// All candidates of a pointer. Its definition need not be translated yet.
    fn shapes(&self, id: Id, search: &mut Search) -> Result<Vec<PointerShape>> {
        match self.values.get(&id) {
            Some(SpirvValue::Pointer(pointer)) => return Ok(vec![PointerShape::of(pointer)]),
            Some(SpirvValue::VariablePointer(variable_pointer)) => {
                return Ok(variable_pointer
                    .candidates
                    .iter()
                    .map(PointerShape::of)
                    .collect());
            }
            _ => {}
        }
        if let Some(pointer) = self.reader.global_pointer(id) {
            return Ok(vec![PointerShape::of(&pointer)]);
        }
        // The pointer of a loop phi may depend on itself.
        if search.path.contains(&id) {
            return Ok(Vec::new());
        }
        search.steps += 1;
        if search.steps > MAX_STEPS {
            return Err(ReadError::unsupported(
                "a pointer that can be too many things",
            ));
        }
        search.path.push(id);
        let definition = self.reader.spirv.definition(id)?;
        let shapes = match definition.op {
            Op::AccessChain | Op::InBoundsAccessChain => {
                self.extended_shapes(&definition, 1, search)
            }
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                self.extended_shapes(&definition, 2, search)
            }
            Op::CopyObject => self.shapes(definition.id(0)?, search),
            Op::Select => {
                let mut shapes = self.shapes(definition.id(1)?, search)?;
                shapes.extend(self.shapes(definition.id(2)?, search)?);
                Ok(shapes)
            }
            Op::Phi => {
                let mut shapes = Vec::new();
                for pair in definition.operands.chunks_exact(2) {
                    shapes.extend(self.shapes(Id(pair[0]), search)?);
                }
                Ok(shapes)
            }
            Op::ConstantNull | Op::Undef => Ok(Vec::new()),
            op => Err(definition.unsupported(format!("a chosen pointer that comes from Op{op:?}"))),
        };
        search.path.pop();
        shapes
    }

    /// The candidates of an access chain, from all candidates of its base.
    fn extended_shapes(
        &self,
        chain: &Instruction<'_>,
        from: usize,
        search: &mut Search,
    ) -> Result<Vec<PointerShape>> {
        let bases = self.shapes(chain.id(0)?, search)?;
        let mut shapes = Vec::new();
        for base in bases {
            let steps = base.steps.iter().map(|step| match step {
                Some(member) => Step::Member(*member),
                // A placeholder: only the shape matters.
                None => Step::Index(Index::Argument(0)),
            });
            let pointer = Pointer {
                steps: steps.collect(),
                ..base.root
            };
            shapes.push(PointerShape::of(&self.extended(pointer, chain.ids(from))?));
        }
        Ok(shapes)
    }

    /// Assigns a pointer to a variable pointer.
    pub(super) fn assign(&mut self, target: &SpirvValue, from: Id) -> Result<()> {
        let from = match self.values.get(&from) {
            Some(value @ (SpirvValue::Pointer(_) | SpirvValue::VariablePointer(_))) => {
                value.clone()
            }
            _ => match self.reader.global_pointer(from) {
                Some(pointer) => SpirvValue::Pointer(pointer),
                // A null or undefined pointer is never dereferenced.
                None if self.is_null(from) => return Ok(()),
                None => SpirvValue::Pointer(self.pointer(from)?),
            },
        };
        self.assign_pointer_value(target, &from)
    }

    fn is_null(&self, id: Id) -> bool {
        let definition = self.reader.spirv.definition(id);
        definition.is_ok_and(|definition| matches!(definition.op, Op::ConstantNull | Op::Undef))
    }

    fn assign_pointer_value(&mut self, target: &SpirvValue, from: &SpirvValue) -> Result<()> {
        match from {
            SpirvValue::Pointer(pointer) => self.assign_pointer(target, pointer),
            SpirvValue::VariablePointer(variable_pointer) => self
                .for_each_candidate(variable_pointer, |body, pointer| {
                    body.assign_pointer(target, pointer)
                }),
            _ => Err(ReadError::invalid("it is no pointer")),
        }
    }

    fn assign_pointer(&mut self, target: &SpirvValue, pointer: &Pointer) -> Result<()> {
        let shape = PointerShape::of(pointer);
        let (tag, candidates) = match target {
            SpirvValue::Pointer(candidate) => (None, std::slice::from_ref(&**candidate)),
            SpirvValue::VariablePointer(variable_pointer) => (
                Some(variable_pointer.tag),
                variable_pointer.candidates.as_slice(),
            ),
            _ => return Err(ReadError::invalid("it is no pointer")),
        };
        let number = candidates
            .iter()
            .position(|candidate| PointerShape::of(candidate).is(&shape));
        let number = number.ok_or_else(|| ReadError::invalid("a pointer is not what it can be"))?;
        if let Some(tag) = tag {
            let value = self.literal(Literal::U32(number as u32));
            self.store_local(tag, value);
        }
        // Reads all indices before it writes any: source and target may be the same variables.
        let mut indices = Vec::new();
        for (to, from) in candidates[number].steps.iter().zip(pointer.steps.iter()) {
            if let (Step::Index(Index::Local(local)), Step::Index(index)) = (to, from) {
                indices.push((*local, self.unsigned_index(*index)?));
            }
        }
        for (local, index) in indices {
            self.store_local(local, index);
        }
        Ok(())
    }

    /// An index converted to u32. An index that wraps around is out of bounds in any case.
    pub(super) fn unsigned_index(&mut self, index: Index) -> Result<Handle<Expression>> {
        let expr = self.index_value(index)?;
        let scalar = match index {
            Index::Value(id) => {
                let ty = self.type_id(id)?;
                self.scalar(ty)?
            }
            Index::Argument(argument) => {
                let ty = self.function.arguments[argument as usize].ty;
                let inner = &self.reader.module.types[ty].inner;
                inner.scalar().unwrap_or(Scalar::U32)
            }
            Index::Local(_) => Scalar::U32,
        };
        Ok(self.as_u32(expr, scalar))
    }

    fn as_u32(&mut self, expr: Handle<Expression>, scalar: Scalar) -> Handle<Expression> {
        match scalar {
            Scalar::U32 => expr,
            scalar => self.add(Expression::As {
                expr,
                kind: ScalarKind::Uint,
                convert: Some(4).filter(|_| scalar.width != 4),
            }),
        }
    }

    /// Pointer arithmetic: a pointer advanced by a number of elements.
    pub(super) fn advanced(&mut self, pointer: Pointer, element: Id) -> Result<Pointer> {
        if self.reader.constants.integer(element) == Some(0) {
            return Ok(pointer);
        }
        let mut pointer = pointer;
        let Some(Step::Index(last)) = pointer.steps.last().copied() else {
            return Err(ReadError::unsupported(
                "arithmetic on a pointer that does not lead to an element",
            ));
        };
        let left = self.unsigned_index(last)?;
        let right = self.unsigned_index(Index::Value(element))?;
        let sum = self.two(Binary::Add, left, right);
        let ty = self.reader.insert_type(TypeInner::Scalar(Scalar::U32));
        let local = self.local(Some("index".to_owned()), ty);
        self.store_local(local, sum);
        pointer.steps.pop();
        pointer.steps.push(Step::Index(Index::Local(local)));
        Ok(pointer)
    }

    /// Applies `make` to a pointer, or to all candidates of a variable pointer.
    pub(super) fn each_pointer(
        &mut self,
        id: Id,
        make: impl Fn(&mut Self, Pointer) -> Result<Pointer>,
    ) -> Result<SpirvValue> {
        let Some(SpirvValue::VariablePointer(variable_pointer)) = self.values.get(&id) else {
            let pointer = Rc::unwrap_or_clone(self.pointer(id)?);
            return Ok(SpirvValue::Pointer(Rc::new(make(self, pointer)?)));
        };
        let variable_pointer = variable_pointer.clone();
        let candidates = variable_pointer.candidates.into_iter();
        let candidates: Result<Vec<_>> = candidates.map(|pointer| make(self, pointer)).collect();
        let (tag, candidates) = (variable_pointer.tag, candidates?);
        Ok(SpirvValue::VariablePointer(Box::new(VariablePointer {
            tag,
            candidates,
        })))
    }

    fn for_each_candidate(
        &mut self,
        variable_pointer: &VariablePointer,
        mut make: impl FnMut(&mut Self, &Pointer) -> Result<()>,
    ) -> Result<()> {
        let selector = self.load_local(variable_pointer.tag);
        let mut cases = Vec::new();
        for (number, candidate) in variable_pointer.candidates.iter().enumerate() {
            let is_last = number + 1 == variable_pointer.candidates.len();
            let body = self.braces(|body| make(body, candidate))?;
            cases.push(SwitchCase {
                value: if is_last {
                    SwitchValue::Default
                } else {
                    SwitchValue::U32(number as u32)
                },
                body,
                fall_through: false,
            });
        }
        self.push(Statement::Switch { selector, cases });
        Ok(())
    }

    /// The first operand that is a variable pointer, for instructions that access memory.
    pub(super) fn variable_pointer_operand(
        &self,
        instruction: &Instruction<'_>,
    ) -> Option<(Id, Box<VariablePointer>)> {
        let makes_pointers = matches!(
            instruction.op,
            Op::AccessChain
                | Op::InBoundsAccessChain
                | Op::PtrAccessChain
                | Op::InBoundsPtrAccessChain
                | Op::CopyObject
                | Op::Select
                | Op::PtrEqual
                | Op::PtrNotEqual
                | Op::PtrDiff
        );
        if makes_pointers || !self.has_variable_pointers {
            return None;
        }
        instruction
            .used()
            .into_iter()
            .find_map(|id| match self.values.get(&id) {
                Some(SpirvValue::VariablePointer(variable_pointer)) => {
                    Some((id, variable_pointer.clone()))
                }
                _ => None,
            })
    }

    /// Translates an instruction once for each candidate of an operand, in a switch over the tag.
    pub(super) fn for_each_candidate_of(
        &mut self,
        instruction: &Instruction<'a>,
        operand: Id,
        variable_pointer: &VariablePointer,
    ) -> Result<()> {
        let ty = instruction.result_type.map(|ty| self.reader.types.get(ty));
        let result = match ty.transpose()? {
            None | Some(Type::Void) => None,
            Some(_) => {
                let ty = self.reader.value_type(instruction.result_type()?)?;
                Some((instruction.result()?, self.local(None, ty)))
            }
        };
        let meant = self.values.get(&operand).cloned();
        let made = self.for_each_candidate(variable_pointer, |body, pointer| {
            let pointer = SpirvValue::Pointer(Rc::new(pointer.clone()));
            body.values.insert(operand, pointer);
            body.instruction(instruction)?;
            if let Some((id, local)) = result {
                let value = body.value(id)?;
                body.store_local(local, value);
            }
            Ok(())
        });
        if let Some(meant) = meant {
            self.values.insert(operand, meant);
        }
        made?;
        match result {
            None => Ok(()),
            Some((_, local)) => {
                let value = self.load_local(local);
                self.set(instruction, value)
            }
        }
    }

    /// The candidates of a pointer, each with the condition that it is selected.
    fn candidates_of(&mut self, id: Id) -> Result<Vec<(Option<Handle<Expression>>, Pointer)>> {
        let Some(SpirvValue::VariablePointer(variable_pointer)) = self.values.get(&id).cloned()
        else {
            return Ok(if self.is_null(id) {
                Vec::new()
            } else {
                vec![(None, Rc::unwrap_or_clone(self.pointer(id)?))]
            });
        };
        let tag = self.load_local(variable_pointer.tag);
        let mut candidates = Vec::new();
        for (number, pointer) in variable_pointer.candidates.into_iter().enumerate() {
            let number = self.literal(Literal::U32(number as u32));
            let is_it = self.two(Binary::Equal, tag, number);
            candidates.push((Some(is_it), pointer));
        }
        Ok(candidates)
    }

    fn pointers_equal(&mut self, left: Id, right: Id) -> Result<Handle<Expression>> {
        let both_null = self.is_null(left) && self.is_null(right);
        let (lefts, rights) = (self.candidates_of(left)?, self.candidates_of(right)?);
        let mut equal = self.literal(Literal::Bool(both_null));
        for (is_left, left) in &lefts {
            for (is_right, right) in &rights {
                if !PointerShape::of(left).is(&PointerShape::of(right)) {
                    continue;
                }
                let mut is_it = self.literal(Literal::Bool(true));
                for condition in is_left.iter().chain(is_right) {
                    is_it = self.two(Binary::LogicalAnd, is_it, *condition);
                }
                for (left, right) in left.steps.iter().zip(right.steps.iter()) {
                    if let (Step::Index(left), Step::Index(right)) = (left, right) {
                        let left = self.unsigned_index(*left)?;
                        let right = self.unsigned_index(*right)?;
                        let same = self.two(Binary::Equal, left, right);
                        is_it = self.two(Binary::LogicalAnd, is_it, same);
                    }
                }
                equal = self.two(Binary::LogicalOr, equal, is_it);
            }
        }
        Ok(equal)
    }

    /// The difference in elements of two pointers into the same array.
    fn pointer_difference(&mut self, instruction: &Instruction<'_>) -> Result<Handle<Expression>> {
        let mut indices = Vec::new();
        for at in 0..2 {
            let mut last = None;
            for (condition, pointer) in self.candidates_of(instruction.id(at)?)? {
                let Some(Step::Index(index)) = pointer.steps.last() else {
                    return Err(instruction.unsupported("the distance of what are no elements"));
                };
                let index = self.unsigned_index(*index)?;
                last = Some(match (condition, last) {
                    (Some(condition), Some(reject)) => self.add(Expression::Select {
                        condition,
                        accept: index,
                        reject,
                    }),
                    _ => index,
                });
            }
            indices.push(last.ok_or_else(|| instruction.unsupported("the distance of null"))?);
        }
        let difference = self.two(Binary::Subtract, indices[0], indices[1]);
        let ty = instruction.result_type()?;
        let signed = self.add(Expression::As {
            expr: difference,
            kind: ScalarKind::Sint,
            convert: None,
        });
        let to = self.scalar(ty)?;
        let value = match to.width {
            4 => signed,
            _ => self.converted(
                signed,
                Scalar {
                    kind: ScalarKind::Sint,
                    ..to
                },
            ),
        };
        self.result(ty, value, Some(ScalarKind::Sint))
    }
}

struct Search {
    /// The definitions on the current path of the search.
    path: Vec<Id>,
    steps: u32,
}
