//! Element-wise operations on arrays.
//!
//! Operations on short arrays are unrolled; long arrays use a loop, so that the size of the generated code is bounded
//! by that of the input.

use anywarp_program::naga::{
    ArraySize, BinaryOperator, Expression, Handle, Literal, LocalVariable, Scalar, ScalarKind,
    Statement, TypeInner,
};

use super::body::Body;
use crate::error::{ReadError, Result};
use crate::module::Id;
use crate::read::function::Expr;
use crate::read::types::Type;

/// The maximum number of scalars in an array whose element-wise operations are unrolled.
const MAX_WRITTEN_OUT: u32 = 64;

impl Body<'_, '_> {
    /// The length of an array type.
    pub(super) fn array_size(&self, array: Id) -> Result<ArraySize> {
        match *self.reader.types.get(array)? {
            Type::Array { length, .. } => self.reader.layouts.length(length),
            _ => Err(ReadError::invalid(format!(
                "{array} is no array of known length"
            ))),
        }
    }

    /// The length of an array, if it is short enough to be unrolled.
    pub(super) fn written_out(&self, array: Id) -> Result<Option<u32>> {
        let ArraySize::Constant(length) = self.array_size(array)? else {
            return Ok(None);
        };
        let is_short = self.left_of(array, MAX_WRITTEN_OUT)?.is_some();
        Ok(Some(length.get()).filter(|_| is_short))
    }

    /// Subtracts the number of scalars of a type from `left`; `None` if there are more.
    fn left_of(&self, ty: Id, left: u32) -> Result<Option<u32>> {
        let parts: Vec<Id> = match self.reader.types.get(ty)? {
            Type::Struct { members } if members.len() > left as usize => return Ok(None),
            Type::Struct { members } => members.clone(),
            Type::Array { element, .. } => match self.array_size(ty)? {
                ArraySize::Constant(length) if length.get() <= left => {
                    vec![*element; length.get() as usize]
                }
                _ => return Ok(None),
            },
            Type::Matrix { column, columns } => vec![*column; *columns as usize],
            Type::Vector { count, .. } => return Ok(left.checked_sub(*count)),
            _ => return Ok(left.checked_sub(1)),
        };
        let mut left = left;
        for part in parts {
            match self.left_of(part, left)? {
                Some(rest) => left = rest,
                None => return Ok(None),
            }
        }
        Ok(Some(left))
    }

    /// A loop over the elements of an array; `make` receives the counter variable.
    pub(super) fn for_each_element(
        &mut self,
        length: ArraySize,
        make: impl FnOnce(&mut Self, Handle<LocalVariable>) -> Result<()>,
    ) -> Result<()> {
        let number = self.reader.insert_type(TypeInner::Scalar(Scalar::U32));
        let counter = self.local(Some("index".to_owned()), number);
        let zero = self.literal(Literal::U32(0));
        self.store_local(counter, zero);
        let body = self.braces(|body| {
            let count = body.length_value(length)?;
            let at = body.load_local(counter);
            let is_over = body.two(BinaryOperator::GreaterEqual, at, count);
            body.break_when(is_over)?;
            make(body, counter)
        })?;
        let continuing = self.braces(|body| {
            let at = body.load_local(counter);
            let one = body.literal(Literal::U32(1));
            let next = body.two(BinaryOperator::Add, at, one);
            body.store_local(counter, next);
            Ok(())
        })?;
        self.push(Statement::Loop {
            body,
            continuing,
            break_if: None,
        });
        Ok(())
    }

    /// An array length as a u32 expression.
    fn length_value(&mut self, length: ArraySize) -> Result<Expr> {
        let length = match length {
            ArraySize::Constant(length) => return Ok(self.literal(Literal::U32(length.get()))),
            ArraySize::Pending(length) => length,
            ArraySize::Dynamic => {
                return Err(ReadError::unsupported("copying arrays of unknown length"));
            }
        };
        let scalar = self.reader.module.overrides[length].ty;
        let expr = self.add_apart(Expression::Override(length));
        let inner = &self.reader.module.types[scalar].inner;
        Ok(if inner.scalar() == Some(Scalar::U32) {
            expr
        } else {
            self.add(Expression::As {
                expr,
                kind: ScalarKind::Uint,
                convert: Some(4),
            })
        })
    }

    /// An array value whose elements `make` computes from the index, in a loop.
    pub(super) fn array_by_loop(
        &mut self,
        array: Id,
        make: impl FnOnce(&mut Self, Expr) -> Result<Expr>,
    ) -> Result<Expr> {
        let length = self.array_size(array)?;
        let ty = self.reader.value_type(array)?;
        let whole = self.local(None, ty);
        self.for_each_element(length, |body, counter| {
            let index = body.load_local(counter);
            let value = make(body, index)?;
            let pointer = body.element_of(whole, index);
            body.push(Statement::Store { pointer, value });
            Ok(())
        })?;
        Ok(self.load_local(whole))
    }

    /// Calls `take` with each element of an array and its index, in a loop.
    pub(super) fn array_in_loop(
        &mut self,
        array: Id,
        value: Expr,
        take: impl FnOnce(&mut Self, Expr, Expr) -> Result<()>,
    ) -> Result<()> {
        let length = self.array_size(array)?;
        let ty = self.reader.value_type(array)?;
        let whole = self.local(None, ty);
        self.store_local(whole, value);
        self.for_each_element(length, |body, counter| {
            let index = body.load_local(counter);
            let pointer = body.element_of(whole, index);
            let value = body.add(Expression::Load { pointer });
            take(body, index, value)
        })
    }

    pub(super) fn element_of(&mut self, whole: Handle<LocalVariable>, index: Expr) -> Expr {
        let base = self.add_apart(Expression::LocalVariable(whole));
        self.add(Expression::Access { base, index })
    }
}
