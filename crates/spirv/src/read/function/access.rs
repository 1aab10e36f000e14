//! Loads and stores, with conversion between value types and memory types.
//!
//! The memory layout of a type may differ from its value: row-major matrices, members in offset order, atomics. Such
//! values are loaded and stored part by part.

use anywarp_program::naga::{self, Expression, Handle, MathFunction, Statement, TypeInner};

use super::body::Body;
use super::memory::{PlaceAccess, Pointer, Root};
use crate::error::{ReadError, Result};
use crate::module::Id;
use crate::read::layout::{self, AtomicPaths, ELEMENT, MatrixLayout};
use crate::read::types::Type;

impl Body<'_, '_> {
    /// Loads the value behind a pointer.
    pub(crate) fn load(&mut self, pointer: &Pointer) -> Result<Handle<Expression>> {
        if let Some(words) = self.buffer_words(pointer) {
            return self.load_words(pointer, words);
        }
        let place = self.place(pointer)?;
        match place.access {
            PlaceAccess::Value(value) if matches!(pointer.root, Root::Value(_)) => Ok(value),
            PlaceAccess::Value(pointer) => Ok(self.add(Expression::Load { pointer })),
            PlaceAccess::Direct(at) => self.load_at(at, place.ty, place.matrix, &place.atomics),
            PlaceAccess::Column { rows, column } => {
                let TypeInner::Vector { size, .. } = self.inner(place.ty)? else {
                    return Err(ReadError::invalid("a column is no vector"));
                };
                let mut components = Vec::new();
                for index in 0..size as u32 {
                    let row = self.add(Expression::AccessIndex { base: rows, index });
                    let pointer = self.add(Expression::Access {
                        base: row,
                        index: column,
                    });
                    components.push(self.add(Expression::Load { pointer }));
                }
                let ty = self.reader.value_type(place.ty)?;
                Ok(self.add(Expression::Compose { ty, components }))
            }
        }
    }

    pub(super) fn load_at(
        &mut self,
        pointer: Handle<Expression>,
        ty: Id,
        matrix: Option<MatrixLayout>,
        atomics: &AtomicPaths,
    ) -> Result<Handle<Expression>> {
        let value = self.reader.value_type(ty)?;
        if self.is_loaded_at_once(ty, matrix, atomics)? {
            let loaded = self.add(Expression::Load { pointer });
            return if self.is_atomic_float(ty, atomics)? {
                self.bitcast(loaded, ty)
            } else {
                Ok(loaded)
            };
        }
        let mut components = Vec::new();
        match self.reader.types.get(ty)?.clone() {
            Type::Matrix { .. } => {
                let (length, transposed) = self.vectors(ty, matrix)?;
                for index in 0..length {
                    let pointer = self.add(Expression::AccessIndex {
                        base: pointer,
                        index,
                    });
                    components.push(self.add(Expression::Load { pointer }));
                }
                if let Some(ty) = transposed {
                    let arg = self.add(Expression::Compose { ty, components });
                    return Ok(self.transpose(arg));
                }
            }
            Type::Struct { members } => {
                let lie = self
                    .reader
                    .layouts
                    .members(self.reader.spirv, ty, members.len());
                for (member, ty) in members.iter().enumerate() {
                    let index = lie.places[member];
                    let pointer = self.add(Expression::AccessIndex {
                        base: pointer,
                        index,
                    });
                    let inside = layout::below(atomics, member as u32);
                    let part = self.load_at(pointer, *ty, lie.matrices[member], &inside)?;
                    components.push(part);
                }
            }
            Type::Vector { component, count } => {
                let inside = AtomicPaths::whole();
                for index in 0..count {
                    let pointer = self.add(Expression::AccessIndex {
                        base: pointer,
                        index,
                    });
                    components.push(self.load_at(pointer, component, None, &inside)?);
                }
            }
            Type::Array { element, .. } => {
                let inside = layout::below(atomics, ELEMENT);
                let Some(length) = self.written_out(ty)? else {
                    return self.array_by_loop(ty, |body, index| {
                        let base = pointer;
                        let pointer = body.add(Expression::Access { base, index });
                        body.load_at(pointer, element, matrix, &inside)
                    });
                };
                for index in 0..length {
                    let pointer = self.add(Expression::AccessIndex {
                        base: pointer,
                        index,
                    });
                    components.push(self.load_at(pointer, element, matrix, &inside)?);
                }
            }
            _ => return Err(ReadError::invalid(format!("{ty} cannot be loaded"))),
        }
        let ty = value;
        Ok(self.add(Expression::Compose { ty, components }))
    }

    /// Stores a value through a pointer.
    pub(crate) fn store(&mut self, pointer: &Pointer, value: Handle<Expression>) -> Result<()> {
        if let Some(words) = self.buffer_words(pointer) {
            return self.store_words(pointer, words, value);
        }
        let place = self.place(pointer)?;
        match place.access {
            PlaceAccess::Value(pointer) => {
                self.push(Statement::Store { pointer, value });
                Ok(())
            }
            PlaceAccess::Direct(at) => {
                self.store_at(at, value, place.ty, place.matrix, &place.atomics)
            }
            PlaceAccess::Column { rows, column } => {
                let TypeInner::Vector { size, .. } = self.inner(place.ty)? else {
                    return Err(ReadError::invalid("a column is no vector"));
                };
                for index in 0..size as u32 {
                    let row = self.add(Expression::AccessIndex { base: rows, index });
                    let pointer = self.add(Expression::Access {
                        base: row,
                        index: column,
                    });
                    let value = self.add(Expression::AccessIndex { base: value, index });
                    self.push(Statement::Store { pointer, value });
                }
                Ok(())
            }
        }
    }

    pub(super) fn store_at(
        &mut self,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
        ty: Id,
        matrix: Option<MatrixLayout>,
        atomics: &AtomicPaths,
    ) -> Result<()> {
        if self.is_loaded_at_once(ty, matrix, atomics)? {
            let value = if self.is_atomic_float(ty, atomics)? {
                self.add(Expression::As {
                    expr: value,
                    kind: naga::ScalarKind::Uint,
                    convert: None,
                })
            } else {
                value
            };
            self.push(Statement::Store { pointer, value });
            return Ok(());
        }
        match self.reader.types.get(ty)?.clone() {
            Type::Matrix { .. } => {
                let (length, transposed) = self.vectors(ty, matrix)?;
                let value = match transposed {
                    Some(_) => self.transpose(value),
                    None => value,
                };
                for index in 0..length {
                    let value = self.add(Expression::AccessIndex { base: value, index });
                    let pointer = self.add(Expression::AccessIndex {
                        base: pointer,
                        index,
                    });
                    self.push(Statement::Store { pointer, value });
                }
            }
            Type::Struct { members } => {
                let lie = self
                    .reader
                    .layouts
                    .members(self.reader.spirv, ty, members.len());
                for (member, ty) in members.iter().enumerate() {
                    let value = self.add(Expression::AccessIndex {
                        base: value,
                        index: member as u32,
                    });
                    let pointer = self.add(Expression::AccessIndex {
                        base: pointer,
                        index: lie.places[member],
                    });
                    let inside = layout::below(atomics, member as u32);
                    self.store_at(pointer, value, *ty, lie.matrices[member], &inside)?;
                }
            }
            Type::Vector { component, count } => {
                let inside = AtomicPaths::whole();
                for index in 0..count {
                    let value = self.add(Expression::AccessIndex { base: value, index });
                    let pointer = self.add(Expression::AccessIndex {
                        base: pointer,
                        index,
                    });
                    self.store_at(pointer, value, component, None, &inside)?;
                }
            }
            Type::Array { element, .. } => {
                let inside = layout::below(atomics, ELEMENT);
                let Some(length) = self.written_out(ty)? else {
                    return self.array_in_loop(ty, value, |body, index, value| {
                        let base = pointer;
                        let pointer = body.add(Expression::Access { base, index });
                        body.store_at(pointer, value, element, matrix, &inside)
                    });
                };
                for index in 0..length {
                    let value = self.add(Expression::AccessIndex { base: value, index });
                    let pointer = self.add(Expression::AccessIndex {
                        base: pointer,
                        index,
                    });
                    self.store_at(pointer, value, element, matrix, &inside)?;
                }
            }
            _ => return Err(ReadError::invalid(format!("{ty} cannot be stored"))),
        }
        Ok(())
    }

    /// Whether a float is stored as its bits because it is atomic.
    pub(super) fn is_atomic_float(&mut self, ty: Id, atomics: &AtomicPaths) -> Result<bool> {
        let is_atomic = atomics.is_whole();
        Ok(is_atomic && self.scalar(ty)?.kind == naga::ScalarKind::Float)
    }

    /// Whether a single load or store suffices, because the memory type is the value type or the value is a scalar.
    pub(super) fn is_loaded_at_once(
        &mut self,
        ty: Id,
        matrix: Option<MatrixLayout>,
        atomics: &AtomicPaths,
    ) -> Result<bool> {
        let value = self.reader.value_type(ty)?;
        let memory = self.reader.memory_type(ty, matrix, atomics)?;
        let is_number = matches!(self.reader.module.types[value].inner, TypeInner::Scalar(_));
        Ok(value == memory || is_number)
    }

    /// The number of vectors of a matrix in memory, and the type of the transposed matrix if they are rows.
    pub(super) fn vectors(
        &mut self,
        ty: Id,
        matrix: Option<MatrixLayout>,
    ) -> Result<(u32, Option<Handle<naga::Type>>)> {
        let TypeInner::Matrix {
            columns,
            rows,
            scalar,
        } = self.inner(ty)?
        else {
            return Err(ReadError::invalid(format!("{ty} is no matrix")));
        };
        if !matrix.is_some_and(|layout| layout.is_row_major) {
            return Ok((columns as u32, None));
        }
        let transposed = self.reader.insert_type(TypeInner::Matrix {
            columns: rows,
            rows: columns,
            scalar,
        });
        Ok((rows as u32, Some(transposed)))
    }

    pub(super) fn transpose(&mut self, arg: Handle<Expression>) -> Handle<Expression> {
        self.add(Expression::Math {
            fun: MathFunction::Transpose,
            arg,
            arg1: None,
            arg2: None,
            arg3: None,
        })
    }
}
