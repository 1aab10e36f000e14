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

/// A part of a value that is loaded and stored on its own.
struct Part {
    /// Its index in the value.
    index: u32,
    /// Its index in memory.
    place: u32,
    ty: Id,
    matrix: Option<MatrixLayout>,
    atomics: AtomicPaths,
}

impl Part {
    /// The elements of an array or the components of a vector, by index.
    fn of_array(
        ty: Id,
        matrix: Option<MatrixLayout>,
        atomics: AtomicPaths,
    ) -> impl Fn(u32) -> Self {
        move |index| Self {
            index,
            place: index,
            ty,
            matrix,
            atomics: atomics.clone(),
        }
    }
}

impl Body<'_, '_> {
    /// Loads the value at a pointer.
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
        let components = match self.reader.types.get(ty)?.clone() {
            Type::Matrix { .. } => return self.load_matrix(pointer, ty, matrix),
            Type::Array { element, .. } if self.written_out(ty)?.is_none() => {
                let inside = layout::below(atomics, ELEMENT);
                return self.array_by_loop(ty, |body, index| {
                    let base = pointer;
                    let pointer = body.add(Expression::Access { base, index });
                    body.load_at(pointer, element, matrix, &inside)
                });
            }
            _ => {
                let parts = self.parts(ty, matrix, atomics)?;
                let parts =
                    parts.ok_or_else(|| ReadError::invalid(format!("{ty} cannot be loaded")))?;
                let load = |part: Part| {
                    let pointer = self.element(pointer, part.place);
                    self.load_at(pointer, part.ty, part.matrix, &part.atomics)
                };
                parts.into_iter().map(load).collect::<Result<_>>()?
            }
        };
        let ty = value;
        Ok(self.add(Expression::Compose { ty, components }))
    }

    /// Loads a matrix vector by vector.
    fn load_matrix(
        &mut self,
        pointer: Handle<Expression>,
        ty: Id,
        matrix: Option<MatrixLayout>,
    ) -> Result<Handle<Expression>> {
        let value = self.reader.value_type(ty)?;
        let (length, transposed) = self.vectors(ty, matrix)?;
        let load = |index| {
            let pointer = self.element(pointer, index);
            self.add(Expression::Load { pointer })
        };
        let components = (0..length).map(load).collect();
        let ty = transposed.unwrap_or(value);
        let loaded = self.add(Expression::Compose { ty, components });
        Ok(if transposed.is_some() {
            self.transpose(loaded)
        } else {
            loaded
        })
    }

    /// A member, element or component.
    fn element(&mut self, base: Handle<Expression>, index: u32) -> Handle<Expression> {
        self.add(Expression::AccessIndex { base, index })
    }

    /// The parts of a struct, a vector or an array; `None` for other types and for arrays of unknown length.
    fn parts(
        &mut self,
        ty: Id,
        matrix: Option<MatrixLayout>,
        atomics: &AtomicPaths,
    ) -> Result<Option<Vec<Part>>> {
        Ok(match self.reader.types.get(ty)?.clone() {
            Type::Struct { members } => {
                let spirv = self.reader.spirv;
                let layout = self.reader.layouts.members(spirv, ty, members.len());
                let part = |(member, ty): (usize, &Id)| Part {
                    index: member as u32,
                    place: layout.places[member],
                    ty: *ty,
                    matrix: layout.matrices[member],
                    atomics: layout::below(atomics, member as u32),
                };
                Some(members.iter().enumerate().map(part).collect())
            }
            Type::Vector { component, count } => {
                let part = Part::of_array(component, None, AtomicPaths::whole());
                Some((0..count).map(part).collect())
            }
            Type::Array { element, .. } => {
                let part = Part::of_array(element, matrix, layout::below(atomics, ELEMENT));
                let length = self.written_out(ty)?;
                length.map(|length| (0..length).map(part).collect())
            }
            _ => None,
        })
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
            Type::Matrix { .. } => self.store_matrix(pointer, value, ty, matrix),
            Type::Array { element, .. } if self.written_out(ty)?.is_none() => {
                let inside = layout::below(atomics, ELEMENT);
                self.array_in_loop(ty, value, |body, index, value| {
                    let base = pointer;
                    let pointer = body.add(Expression::Access { base, index });
                    body.store_at(pointer, value, element, matrix, &inside)
                })
            }
            _ => {
                let parts = self.parts(ty, matrix, atomics)?;
                let mut parts = parts
                    .ok_or_else(|| ReadError::invalid(format!("{ty} cannot be stored")))?
                    .into_iter();
                parts.try_for_each(|part| {
                    let value = self.element(value, part.index);
                    let pointer = self.element(pointer, part.place);
                    self.store_at(pointer, value, part.ty, part.matrix, &part.atomics)
                })
            }
        }
    }

    /// Stores a matrix vector by vector.
    fn store_matrix(
        &mut self,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
        ty: Id,
        matrix: Option<MatrixLayout>,
    ) -> Result<()> {
        let (length, transposed) = self.vectors(ty, matrix)?;
        let value = match transposed {
            Some(_) => self.transpose(value),
            None => value,
        };
        for index in 0..length {
            let value = self.element(value, index);
            let pointer = self.element(pointer, index);
            self.push(Statement::Store { pointer, value });
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
