//! Composite instructions: construction, extraction, insertion and shuffles of vectors, matrices, arrays and structs.
//!
//! Vectors that are built from components of one vector become swizzles or splats. Constant component indices out of
//! bounds, which WGSL rejects, are hidden from constant evaluation.

use crate::read::function::Expr;
use anywarp_program::naga::{
    self, Expression, Handle, Statement, SwizzleComponent, TypeInner, VectorSize,
};
use rspirv::spirv::Op;

use super::body::Body;
use crate::error::{ReadError, Result};
use crate::module::{Id, Instruction};
use crate::read::types::Type;

/// The component index that means "undefined" in `OpVectorShuffle`.
const UNDEFINED: u32 = u32::MAX;

impl Body<'_, '_> {
    pub(super) fn composite(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let value = match instruction.op {
            Op::CompositeConstruct => self.construct(instruction)?,
            Op::CompositeExtract => {
                let whole = self.value(instruction.id(0)?)?;
                let indices = instruction.operands.get(1..).unwrap_or_default();
                self.part(whole, self.type_id(instruction.id(0)?)?, indices)?
            }
            Op::CompositeInsert => {
                let part = self.value(instruction.id(0)?)?;
                let whole = self.value(instruction.id(1)?)?;
                let indices = instruction.operands.get(2..).unwrap_or_default();
                self.replaced(whole, part, instruction.result_type()?, indices)?
            }
            Op::VectorShuffle => self.shuffle(instruction)?,
            Op::VectorExtractDynamic => {
                let base = self.value(instruction.id(0)?)?;
                let index = self.component_index(instruction.id(0)?, instruction.id(1)?)?;
                self.add(Expression::Access { base, index })
            }
            Op::VectorInsertDynamic => {
                let (whole, part) = (
                    self.value(instruction.id(0)?)?,
                    self.value(instruction.id(1)?)?,
                );
                let index = self.component_index(instruction.id(0)?, instruction.id(2)?)?;
                let ty = self.reader.value_type(instruction.result_type()?)?;
                let local = self.local(None, ty);
                self.store_local(local, whole);
                let base = self.local_pointer(local);
                let pointer = self.add(Expression::Access { base, index });
                self.push(Statement::Store {
                    pointer,
                    value: part,
                });
                self.load_local(local)
            }
            _ => return Err(instruction.unsupported("this instruction")),
        };
        self.set(instruction, value)
    }

    /// A dynamic component index. A constant index out of bounds is hidden, because WGSL rejects it.
    fn component_index(&mut self, whole: Id, id: Id) -> Result<Expr> {
        let ty = self.type_id(whole)?;
        let count = match *self.reader.types.get(ty)? {
            Type::Vector { count, .. } => count,
            _ => return Err(ReadError::invalid(format!("{whole} is no vector"))),
        };
        let is_beyond = |index: i64| !(0..i64::from(count)).contains(&index);
        if self.reader.constants.any_integer(id, &is_beyond) {
            self.hidden(id)
        } else {
            self.value(id)
        }
    }

    fn construct(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let ty = self.reader.value_type(instruction.result_type()?)?;
        let components: Result<Vec<_>> = instruction.ids(0).map(|id| self.value(id)).collect();
        let components = components?;
        if components.is_empty() {
            return Ok(self.add_apart(Expression::ZeroValue(ty)));
        }
        Ok(self.composed(ty, components))
    }

    /// A composite of these parts. A vector of components extracted from one vector, which compilers often write,
    /// becomes that vector, a swizzle or a splat.
    fn composed(&mut self, ty: Handle<naga::Type>, parts: Vec<Expr>) -> Expr {
        let TypeInner::Vector { size, .. } = self.reader.module.types[ty].inner else {
            let components = parts;
            return self.add(Expression::Compose { ty, components });
        };
        if parts.len() == size as usize && parts.iter().all(|part| *part == parts[0]) {
            let value = parts[0];
            return self.add(Expression::Splat { size, value });
        }
        let source = |body: &Self, part: Expr| match body.function.expressions[part] {
            Expression::AccessIndex { base, index } if body.taken_components(base) > 0 => {
                Some((base, index))
            }
            _ => None,
        };
        let mut components = Vec::with_capacity(parts.len());
        let mut indices = Vec::with_capacity(parts.len());
        let mut rest = parts.as_slice();
        while let Some((&first, _)) = rest.split_first() {
            indices.clear();
            let of = source(self, first).map(|(base, _)| base);
            if let Some(base) = of {
                let run = rest.iter().map_while(|part| source(self, *part));
                let run = run.take_while(|(own, _)| *own == base);
                indices.extend(run.map(|(_, index)| index));
            }
            components.push(match of {
                Some(base) if indices.len() > 1 => self.swizzled(base, &indices),
                _ => first,
            });
            rest = &rest[indices.len().max(1)..];
        }
        match components[..] {
            [only] if parts.len() > 1 => only,
            _ => self.add(Expression::Compose { ty, components }),
        }
    }

    /// A swizzle of two to four components.
    fn swizzled(&mut self, vector: Expr, indices: &[u32]) -> Expr {
        let is_whole = indices.iter().copied().eq(0..self.taken_components(vector));
        let size = match indices.len() {
            _ if is_whole => return vector,
            2 => VectorSize::Bi,
            3 => VectorSize::Tri,
            _ => VectorSize::Quad,
        };
        let mut pattern = [SwizzleComponent::X; 4];
        for (place, index) in pattern.iter_mut().zip(indices) {
            // At most 3, as vectors have at most four components.
            *place = SwizzleComponent::XYZW[*index as usize % 4];
        }
        self.add(Expression::Swizzle {
            size,
            vector,
            pattern,
        })
    }

    /// The number of components of a vector from which components were extracted; 0 for all other expressions.
    fn taken_components(&self, vector: Expr) -> u32 {
        let count = self.taken_apart.get(vector.index());
        count.copied().unwrap_or_default().into()
    }

    /// Extracts a component of a vector, and records that the vector has `count` components.
    fn vector_component(&mut self, base: Expr, index: u32, count: u32) -> Expr {
        if self.taken_apart.len() <= base.index() {
            let room = self.function.expressions.len();
            self.taken_apart.resize(room.max(base.index() + 1), 0);
        }
        self.taken_apart[base.index()] = count as u8;
        self.add(Expression::AccessIndex { base, index })
    }

    /// The type of a direct part of a composite.
    fn part_type(&self, ty: Id, index: u32) -> Result<Id> {
        let part = match self.reader.types.get(ty)? {
            Type::Struct { members } => members.get(index as usize).copied(),
            Type::Array { element, .. } => Some(*element),
            Type::Matrix { column, columns } => Some(*column).filter(|_| index < *columns),
            Type::Vector { component, count } => Some(*component).filter(|_| index < *count),
            _ => None,
        };
        part.ok_or_else(|| ReadError::invalid(format!("{ty} has no part {index}")))
    }

    pub(crate) fn part(&mut self, whole: Expr, ty: Id, indices: &[u32]) -> Result<Expr> {
        let (mut part, mut ty) = (whole, ty);
        for index in indices {
            let whole = ty;
            ty = self.part_type(ty, *index)?;
            part = match *self.reader.types.get(whole)? {
                Type::Vector { count, .. } => self.vector_component(part, *index, count),
                _ => self.add(Expression::AccessIndex {
                    base: part,
                    index: *index,
                }),
            };
        }
        Ok(part)
    }

    /// A composite with one part replaced and the others copied.
    fn replaced(&mut self, whole: Expr, part: Expr, ty: Id, indices: &[u32]) -> Result<Expr> {
        let Some((first, rest)) = indices.split_first() else {
            return Ok(part);
        };
        let inner = self.part_type(ty, *first)?;
        let count = match self.reader.types.get(ty)? {
            Type::Struct { members } => members.len() as u32,
            Type::Matrix { columns, .. } => *columns,
            Type::Vector { count, .. } => *count,
            _ => return self.replaced_in_memory(whole, part, ty, indices),
        };
        let is_vector = matches!(self.reader.types.get(ty)?, Type::Vector { .. });
        let mut components = Vec::new();
        for index in 0..count {
            let old = if is_vector {
                self.vector_component(whole, index, count)
            } else {
                self.add(Expression::AccessIndex { base: whole, index })
            };
            components.push(if index == *first {
                self.replaced(old, part, inner, rest)?
            } else {
                old
            });
        }
        let ty = self.reader.value_type(ty)?;
        Ok(self.composed(ty, components))
    }

    /// The same through a local variable, for arrays, which may be long.
    fn replaced_in_memory(
        &mut self,
        whole: Expr,
        part: Expr,
        ty: Id,
        indices: &[u32],
    ) -> Result<Expr> {
        let mut inner = ty;
        let ty = self.reader.value_type(ty)?;
        let local = self.local(None, ty);
        self.store_local(local, whole);
        let mut pointer = self.local_pointer(local);
        for index in indices {
            inner = self.part_type(inner, *index)?;
            pointer = self.add(Expression::AccessIndex {
                base: pointer,
                index: *index,
            });
        }
        self.push(Statement::Store {
            pointer,
            value: part,
        });
        Ok(self.load_local(local))
    }

    fn shuffle(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let ids = [instruction.id(0)?, instruction.id(1)?];
        let mut source = |id| {
            let ty = self.type_id(id)?;
            let Type::Vector { count, .. } = *self.reader.types.get(ty)? else {
                return Err(instruction.invalid(format!("{id} is no vector")));
            };
            Ok((self.value(id)?, count))
        };
        let sources = [source(ids[0])?, source(ids[1])?];
        let first = sources[0].1;
        let indices = instruction.operands.get(2..).unwrap_or_default();
        let mut components = Vec::with_capacity(indices.len());
        for index in indices {
            let ((base, count), index) = match *index {
                UNDEFINED => (sources[0], 0),
                index if index < first => (sources[0], index),
                index if index - first < sources[1].1 => (sources[1], index - first),
                index => return Err(instruction.invalid(format!("there is no component {index}"))),
            };
            components.push(self.vector_component(base, index, count));
        }
        let ty = self.reader.value_type(instruction.result_type()?)?;
        Ok(self.composed(ty, components))
    }

    /// `OpCopyLogical`: converts a value to another type with the same parts.
    pub(crate) fn logical_copy(&mut self, value: Expr, from: Id, to: Id) -> Result<Expr> {
        let target = self.reader.value_type(to)?;
        if self.reader.value_type(from)? == target {
            return Ok(value);
        }
        let parts: Vec<(Id, Id)> = match (self.reader.types.get(from)?, self.reader.types.get(to)?)
        {
            (Type::Struct { members: from }, Type::Struct { members: to })
                if from.len() == to.len() =>
            {
                from.iter().copied().zip(to.iter().copied()).collect()
            }
            (Type::Array { element, .. }, Type::Array { element: other, .. }) => {
                let (element, other) = (*element, *other);
                let Some(length) = self.written_out(to)? else {
                    let ty = self.reader.value_type(from)?;
                    let source = self.local(None, ty);
                    self.store_local(source, value);
                    return self.array_by_loop(to, |body, index| {
                        let pointer = body.element_of(source, index);
                        let part = body.add(Expression::Load { pointer });
                        body.logical_copy(part, element, other)
                    });
                };
                vec![(element, other); length as usize]
            }
            _ => {
                return Err(ReadError::invalid(format!(
                    "{from} and {to} differ in their parts"
                )));
            }
        };
        let mut components = Vec::new();
        for (index, (from, to)) in parts.into_iter().enumerate() {
            let part = self.add(Expression::AccessIndex {
                base: value,
                index: index as u32,
            });
            components.push(self.logical_copy(part, from, to)?);
        }
        let ty = target;
        Ok(self.add(Expression::Compose { ty, components }))
    }
}
