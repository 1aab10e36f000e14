//! Writes references to memory and parts of values.
//!
//! In: a pointer, or an access to a part. Out: the variable and its access path, such as `scene.lights[i].position.x`:
//! letters for vector components, literal indices without suffix, and the member of the wrapper structure around
//! elements with a non-default stride.

use anywarp_program::naga::{Expression, Handle, Literal, TypeInner};

use super::literal;
use super::precedence::Slot;
use super::printer::{COMPONENTS, Printer, Result};

impl Printer<'_, '_> {
    /// Appends the reference that a pointer points to.
    pub(super) fn reference(&mut self, pointer: Handle<Expression>) -> Result {
        if self.is_reference(pointer) {
            return match self.arena[pointer] {
                Expression::LocalVariable(handle) => self.local(handle.index()),
                Expression::GlobalVariable(handle) => {
                    self.out.push_str(&self.cx.names.globals[handle.index()]);
                    Ok(())
                }
                _ => self.path(pointer),
            };
        }
        self.out.push('*');
        self.expression(pointer, Slot::UNARY)
    }

    /// The value of a literal index, which needs no suffix.
    fn small_literal(&self, index: Handle<Expression>) -> Option<i32> {
        if self.name_of(index).is_some() {
            return None;
        }
        let literal = match self.arena[index] {
            Expression::Literal(literal) => literal,
            Expression::Constant(handle) if self.cx.names.constants[handle.index()].is_none() => {
                match self.cx.module.global_expressions[self.cx.module.constants[handle].init] {
                    Expression::Literal(literal) => literal,
                    _ => return None,
                }
            }
            _ => return None,
        };
        match literal {
            Literal::U32(value) => i32::try_from(value).ok(),
            Literal::I32(value) => Some(value),
            _ => None,
        }
    }

    /// Appends the access to a part of a reference, of a pointee or of a value.
    pub(super) fn path(&mut self, expression: Handle<Expression>) -> Result {
        let (Expression::Access { base, .. } | Expression::AccessIndex { base, .. }) =
            self.arena[expression]
        else {
            return self.any(expression);
        };
        if self.is_reference(base) {
            self.reference(base)?;
        } else if !self.name(base) {
            self.expression(base, Slot::PRIMARY)?;
        }
        let types = &self.cx.module.types;
        let (inner, handle) = match self.place_type(base) {
            Some(place) => (&types[place].inner, Some(place)),
            None => match *self.inner(base) {
                TypeInner::Pointer { base, .. } => (&types[base].inner, Some(base)),
                ref inner => (inner, self.type_handle(base)),
            },
        };
        match self.arena[expression] {
            Expression::Access { index, .. } => {
                let is_vector = matches!(
                    inner,
                    TypeInner::Vector { .. } | TypeInner::ValuePointer { size: Some(_), .. }
                );
                match self.small_literal(index) {
                    Some(index @ 0..4) if is_vector => {
                        self.out.push('.');
                        self.out.push(COMPONENTS[index as usize]);
                    }
                    Some(index) => {
                        self.out.push('[');
                        literal::push_i32(index, &mut self.out);
                        self.out.push(']');
                    }
                    None => {
                        self.out.push('[');
                        self.any(index)?;
                        self.out.push(']');
                    }
                }
            }
            Expression::AccessIndex { index, .. } => match (inner, handle) {
                (TypeInner::Vector { .. } | TypeInner::ValuePointer { .. }, _) => {
                    self.out.push('.');
                    self.out.push(COMPONENTS[index as usize & 3]);
                }
                (TypeInner::Struct { .. }, Some(handle)) => {
                    self.out.push('.');
                    let names = &self.cx.names.members[handle.index()];
                    self.out.push_str(&names[index as usize]);
                }
                _ => {
                    self.out.push('[');
                    literal::push_u32(index, &mut self.out);
                    self.out.push(']');
                }
            },
            _ => {}
        }
        if let TypeInner::Array { base, stride, .. } = *inner
            && self.cx.layouts.is_wrapped(inner)
        {
            self.out.push('.');
            self.out
                .push_str(&self.cx.names.wrappers[&(base, stride)].1);
        }
        Ok(())
    }
}
