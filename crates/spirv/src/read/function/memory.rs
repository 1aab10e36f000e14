//! Variables, pointers and access chains. `access` has the loads and stores.
//!
//! A pointer is a base variable and a list of steps. It becomes a naga expression only at its use, because naga
//! pointers cannot be stored, and because only the use determines whether the target is addressable: a column of a
//! row-major matrix is not.

use std::rc::Rc;

use anywarp_program::naga::{self, ArraySize, Expression, Handle, LocalVariable, TypeInner};
use rspirv::spirv::{Op, StorageClass};

use super::body::{Body, Opaque, SpirvValue};
use super::steps::Steps;
use crate::error::{ReadError, Result};
use crate::module::{Id, Instruction};
use crate::read::constants::Constant;
use crate::read::layout::{self, AtomicPaths, ELEMENT, MatrixLayout, is_plain};
use crate::read::types::Type;

/// The base of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    Global(Handle<naga::GlobalVariable>),
    Local(Handle<LocalVariable>),
    Argument(u32),
    /// An argument with the pointee itself, which is only read (pass by value).
    Value(u32),
}

/// A step of an access chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Member(u32),
    /// Into an array, a matrix or a vector.
    Index(Index),
}

/// An element index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    Value(Id),
    /// An argument of a function specialized for the pointer.
    Argument(u32),
    /// An index variable of a pointer selected at run time; a u32.
    Local(Handle<LocalVariable>),
}

/// A pointer: a base and the steps of an access chain.
#[derive(Clone, Debug)]
pub(crate) struct Pointer {
    pub(crate) root: Root,
    /// The type of the base variable.
    pub(crate) ty: Id,
    pub(crate) atomics: AtomicPaths,
    pub(crate) steps: Steps,
    pub(crate) class: StorageClass,
}

impl Pointer {
    /// Whether the base variable has a value type: its memory layout is not observable.
    pub(crate) fn holds_values(&self) -> bool {
        holds_values(self.class, &self.atomics)
    }
}

/// Whether variables of a storage class have value types, because their memory layout is not observable.
pub(crate) fn holds_values(class: StorageClass, atomics: &AtomicPaths) -> bool {
    match class {
        StorageClass::Function
        | StorageClass::Private
        | StorageClass::Input
        | StorageClass::Output => true,
        StorageClass::Workgroup => atomics.is_empty(),
        _ => false,
    }
}

/// The memory that a pointer refers to.
pub(super) struct MemoryPlace {
    pub(super) access: PlaceAccess,
    pub(super) ty: Id,
    pub(super) matrix: Option<MatrixLayout>,
    pub(super) atomics: AtomicPaths,
}

pub(super) enum PlaceAccess {
    Direct(Handle<Expression>),
    /// The same, and its type is the value type.
    Value(Handle<Expression>),
    /// A column of a row-major matrix; `rows` points to the rows.
    Column {
        rows: Handle<Expression>,
        column: Handle<Expression>,
    },
}

impl Body<'_, '_> {
    pub(super) fn memory(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        match instruction.op {
            Op::AccessChain | Op::InBoundsAccessChain => {
                let indices = || instruction.ids(1);
                let pointer = self.each_pointer(instruction.id(0)?, |body, base| {
                    body.extended(base, indices())
                })?;
                self.values.insert(instruction.result()?, pointer);
            }
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let element = instruction.id(1)?;
                let indices = || instruction.ids(2);
                let pointer = self.each_pointer(instruction.id(0)?, |body, base| {
                    let base = body.advanced(base, element)?;
                    body.extended(base, indices())
                })?;
                self.values.insert(instruction.result()?, pointer);
            }
            Op::Load => self.load_instruction(instruction)?,
            Op::Store
                if self
                    .reader
                    .facts
                    .by_value
                    .carriers
                    .contains(&instruction.id(0)?) =>
            {
                let value = self.value(instruction.id(1)?)?;
                self.carried.insert(instruction.id(0)?, value);
            }
            Op::Store => {
                let pointer = self.pointer(instruction.id(0)?)?;
                if self.stores_zeros(&pointer, instruction.id(1)?)? {
                    return Ok(());
                }
                let value = self.value(instruction.id(1)?)?;
                self.store(&pointer, value)?;
            }
            Op::CopyMemory => {
                let to = self.pointer(instruction.id(0)?)?;
                let from = self.pointer(instruction.id(1)?)?;
                let value = self.load(&from)?;
                self.store(&to, value)?;
            }
            Op::ArrayLength => {
                let mut pointer = Rc::unwrap_or_clone(self.pointer(instruction.id(0)?)?);
                pointer.steps.push(Step::Member(instruction.word(1)?));
                let length = match self.buffer_words(&pointer) {
                    Some(_) => self.words_length(&pointer)?,
                    None => {
                        let array = self.pointer_argument(&pointer)?;
                        self.add(Expression::ArrayLength(array))
                    }
                };
                let signed = self.bitcast(length, instruction.result_type()?)?;
                self.set(instruction, signed)?;
            }
            _ => return Err(instruction.unsupported("this instruction")),
        }
        Ok(())
    }

    pub(super) fn variable(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let id = instruction.result()?;
        if self.reader.facts.by_value.carriers.contains(&id) {
            return Ok(());
        }
        let (class, ty) = self.reader.types.pointee(instruction.result_type()?)?;
        let name = self.reader.spirv.names.of(id).map(str::to_owned);
        let memory = self.reader.value_type(ty)?;
        let root = if self.reader.facts.aliased.variables.contains(&id) {
            Root::Global(self.reader.private_variable(name, memory))
        } else {
            Root::Local(self.local(name, memory))
        };
        let pointer = Pointer {
            root,
            ty,
            atomics: AtomicPaths::new(),
            steps: Default::default(),
            class,
        };
        if let Some(initial) = instruction.optional(1) {
            let value = self.value(Id(initial))?;
            self.store(&pointer, value)?;
        }
        self.values
            .insert(id, SpirvValue::Pointer(Rc::new(pointer)));
        Ok(())
    }

    /// Stores a zero value to an array whose length is an override, element by element, because such an array cannot
    /// be a value. Returns false for all other values.
    fn stores_zeros(&mut self, pointer: &Pointer, value: Id) -> Result<bool> {
        let Some((ty, Constant::Zero)) = self.reader.constants.get(value) else {
            return Ok(false);
        };
        let Type::Array { element, length } = *self.reader.types.get(ty)? else {
            return Ok(false);
        };
        let length = self.reader.layouts.length(length)?;
        if !matches!(length, ArraySize::Pending(_)) {
            return Ok(false);
        }
        let ty = self.reader.value_type(element)?;
        self.for_each_element(length, |body, counter| {
            let mut place = pointer.clone();
            place.steps.push(Step::Index(Index::Local(counter)));
            let zero = body.add_apart(Expression::ZeroValue(ty));
            body.store(&place, zero)
        })?;
        Ok(true)
    }

    fn load_instruction(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let pointer = self.pointer(instruction.id(0)?)?;
        let ty = instruction.result_type()?;
        let opaque = match self.reader.types.get(ty)? {
            Type::Image(_) => Opaque {
                image: Some(Rc::unwrap_or_clone(pointer)),
                sampler: None,
            },
            Type::Sampler => Opaque {
                image: None,
                sampler: Some(Rc::unwrap_or_clone(pointer)),
            },
            Type::SampledImage { .. } => self.reader.split_pointer(&pointer),
            Type::Pointer { .. } => {
                return Err(instruction.unsupported("pointers that lie in memory"));
            }
            _ => {
                let value = self.load(&pointer)?;
                return self.set(instruction, value);
            }
        };
        self.values
            .insert(instruction.result()?, SpirvValue::Opaque(Box::new(opaque)));
        Ok(())
    }

    /// The pointer of an id.
    pub(crate) fn pointer(&mut self, id: Id) -> Result<Rc<Pointer>> {
        if let Some(SpirvValue::Pointer(pointer)) = self.values.get(&id) {
            return Ok(Rc::clone(pointer));
        }
        if let Some(pointer) = self.reader.global_pointer(id) {
            return Ok(pointer);
        }
        let definition = self.reader.spirv.definition(id)?;
        Err(definition.unsupported(format!("a pointer that comes from Op{:?}", definition.op)))
    }

    /// A pointer extended by the indices of an access chain.
    pub(super) fn extended(
        &self,
        base: Pointer,
        indices: impl Iterator<Item = Id>,
    ) -> Result<Pointer> {
        let mut pointer = base;
        let mut ty = self.pointee(&pointer)?;
        for index in indices {
            let step = match self.reader.types.get(ty)? {
                Type::Struct { members } => {
                    let member = self.reader.constants.integer(index);
                    let member = member.and_then(|member| u32::try_from(member).ok());
                    let member = member.filter(|member| (*member as usize) < members.len());
                    Step::Member(member.ok_or_else(|| {
                        ReadError::invalid(format!("{index} is no member of {ty}"))
                    })?)
                }
                _ => Step::Index(Index::Value(index)),
            };
            ty = self.step_type(ty, step)?;
            pointer.steps.push(step);
        }
        Ok(pointer)
    }

    /// The type that a pointer points to.
    pub(crate) fn pointee(&self, pointer: &Pointer) -> Result<Id> {
        let mut ty = pointer.ty;
        for step in pointer.steps.iter() {
            ty = self.step_type(ty, *step)?;
        }
        Ok(ty)
    }

    pub(super) fn step_type(&self, ty: Id, step: Step) -> Result<Id> {
        match (self.reader.types.get(ty)?, step) {
            (Type::Struct { members }, Step::Member(member)) => {
                let member = members.get(member as usize).copied();
                member.ok_or_else(|| ReadError::invalid(format!("{ty} has no such member")))
            }
            (Type::Array { element, .. } | Type::RuntimeArray { element }, Step::Index(_)) => {
                Ok(*element)
            }
            (Type::Matrix { column, .. }, Step::Index(_)) => Ok(*column),
            (Type::Vector { component, .. }, Step::Index(_)) => Ok(*component),
            _ => Err(ReadError::invalid(format!("{ty} has no parts"))),
        }
    }

    pub(super) fn place(&mut self, pointer: &Pointer) -> Result<MemoryPlace> {
        let mut at = match pointer.root {
            Root::Global(global) => self.global(global),
            Root::Local(local) => self.local_pointer(local),
            Root::Argument(index) | Root::Value(index) => self.argument(index),
        };
        let mut ty = pointer.ty;
        let mut matrix = None;
        let mut atomics = pointer.atomics.clone();
        let is_value = pointer.holds_values();
        let mut steps = pointer.steps.iter().copied();
        let mut is_wrapped = match pointer.root {
            Root::Global(global) => self.reader.buffers.unwrapped.contains(&global),
            _ => false,
        };
        while let Some(step) = steps.next() {
            let inner = self.step_type(ty, step)?;
            let is_row_major = self.is_row_major(ty, matrix)?;
            match (self.reader.types.get(ty)?, step) {
                (Type::Struct { .. }, Step::Member(index)) if is_value => {
                    at = self.add(Expression::AccessIndex { base: at, index });
                }
                (Type::Struct { members }, Step::Member(member)) => {
                    let members = self
                        .reader
                        .layouts
                        .members(self.reader.spirv, ty, members.len());
                    let index = members.places[member as usize];
                    matrix = members.matrices[member as usize];
                    atomics = layout::below(&atomics, member);
                    if !std::mem::take(&mut is_wrapped) {
                        at = self.add(Expression::AccessIndex { base: at, index });
                    }
                }
                (Type::Matrix { .. }, Step::Index(column)) if is_row_major => {
                    let column = self.index_value(column)?;
                    let Some(Step::Index(row)) = steps.next() else {
                        let access = PlaceAccess::Column { rows: at, column };
                        return Ok(MemoryPlace {
                            access,
                            ty: inner,
                            matrix: None,
                            atomics,
                        });
                    };
                    let row = self.index_value(row)?;
                    let row = self.add(Expression::Access {
                        base: at,
                        index: row,
                    });
                    at = self.add(Expression::Access {
                        base: row,
                        index: column,
                    });
                    ty = self.step_type(inner, step)?;
                    continue;
                }
                (Type::Vector { .. }, Step::Index(index)) if !atomics.is_empty() => {
                    atomics = AtomicPaths::whole();
                    at = self.index(at, ty, index)?;
                }
                (_, Step::Index(index)) => {
                    atomics = layout::below(&atomics, ELEMENT);
                    at = self.index(at, ty, index)?;
                }
                (_, Step::Member(_)) => {
                    return Err(ReadError::invalid(format!("{ty} has no members")));
                }
            }
            ty = inner;
        }
        let access = if is_value {
            PlaceAccess::Value(at)
        } else {
            PlaceAccess::Direct(at)
        };
        Ok(MemoryPlace {
            access,
            ty,
            matrix,
            atomics,
        })
    }

    /// An element of an array, matrix or vector; by `AccessIndex` if the index is constant.
    fn index(
        &mut self,
        base: Handle<Expression>,
        ty: Id,
        index: Index,
    ) -> Result<Handle<Expression>> {
        let constant = match index {
            Index::Value(id) => self.reader.constants.integer(id),
            Index::Argument(_) | Index::Local(_) => None,
        };
        let count = match *self.reader.types.get(ty)? {
            Type::Vector { count, .. } => i64::from(count),
            Type::Matrix { columns, .. } => columns.into(),
            Type::Array { length, .. } => match self.reader.layouts.length(length)? {
                ArraySize::Constant(length) => length.get().into(),
                _ => i64::from(u32::MAX),
            },
            _ => i64::from(u32::MAX),
        };
        let index = match (constant, index) {
            (Some(constant), _) if (0..count).contains(&constant) => {
                let index = constant as u32;
                return Ok(self.add(Expression::AccessIndex { base, index }));
            }
            // WGSL rejects constant indices out of bounds; hidden, they get the run-time bounds check.
            (Some(_), Index::Value(id)) => self.hidden(id)?,
            _ => self.index_value(index)?,
        };
        Ok(self.add(Expression::Access { base, index }))
    }

    pub(crate) fn index_value(&mut self, index: Index) -> Result<Handle<Expression>> {
        match index {
            Index::Value(id) => self.value(id),
            Index::Argument(index) => Ok(self.argument(index)),
            Index::Local(local) => Ok(self.load_local(local)),
        }
    }

    fn is_row_major(&mut self, ty: Id, matrix: Option<MatrixLayout>) -> Result<bool> {
        if !matches!(self.reader.types.get(ty)?, Type::Matrix { .. }) {
            return Ok(false);
        }
        let TypeInner::Matrix { rows, scalar, .. } = self.inner(ty)? else {
            return Ok(false);
        };
        Ok(!is_plain(matrix, rows, scalar) && matrix.is_some_and(|layout| layout.is_row_major))
    }

    /// The naga expression of a pointer that is passed to a function.
    pub(crate) fn pointer_argument(&mut self, pointer: &Pointer) -> Result<Handle<Expression>> {
        if self.buffer_words(pointer).is_some() {
            return self.word_pointer(pointer);
        }
        match self.place(pointer)?.access {
            PlaceAccess::Direct(pointer) | PlaceAccess::Value(pointer) => Ok(pointer),
            PlaceAccess::Column { .. } => Err(ReadError::unsupported(
                "a pointer to a column of a matrix that lies row by row",
            )),
        }
    }
}
