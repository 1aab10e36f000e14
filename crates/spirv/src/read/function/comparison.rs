//! Comparisons, what numbers are (NaN, infinite), and choosing by conditions.
//!
//! Unordered comparisons are the opposites of the ordered ones, and what may be NaN or infinite is asked
//! by bits: WGSL's compilers may take floats for finite.

use anywarp_program::naga::{
    BinaryOperator as Binary, Expression, Literal, RelationalFunction, ScalarKind, Statement,
    TypeInner,
};

use super::body::Body;
use crate::error::Result;
use crate::module::{Id, Instruction};
use crate::read::function::Expr;

impl Body<'_, '_> {
    /// Both of two conditions on values of a type.
    pub(super) fn both(&mut self, ty: Id, left: Expr, right: Expr) -> Result<Expr> {
        let op = match self.inner(ty)? {
            TypeInner::Vector { .. } => Binary::And,
            _ => Binary::LogicalAnd,
        };
        Ok(self.two(op, left, right))
    }

    pub(crate) fn either(&mut self, ty: Id, left: Expr, right: Expr) -> Result<Expr> {
        let op = match self.inner(ty)? {
            TypeInner::Vector { .. } => Binary::InclusiveOr,
            _ => Binary::LogicalOr,
        };
        Ok(self.two(op, left, right))
    }

    pub(super) fn logic(
        &mut self,
        it: &Instruction<'_>,
        scalar: Binary,
        vector: Binary,
    ) -> Result<Expr> {
        let op = match self.inner(it.result_type()?)? {
            TypeInner::Vector { .. } => vector,
            _ => scalar,
        };
        self.binary(it, op, None)
    }

    pub(super) fn compare(
        &mut self,
        it: &Instruction<'_>,
        op: Binary,
        kind: Option<ScalarKind>,
    ) -> Result<Expr> {
        let left = self.operand(it.id(0)?, kind)?;
        let right = self.operand(it.id(1)?, kind)?;
        Ok(self.two(op, left, right))
    }

    pub(super) fn compare_not(&mut self, it: &Instruction<'_>, op: Binary) -> Result<Expr> {
        let value = self.compare(it, op, None)?;
        Ok(self.not(value))
    }

    pub(super) fn differ_ordered(&mut self, it: &Instruction<'_>) -> Result<Expr> {
        let less = self.compare(it, Binary::Less, None)?;
        let greater = self.compare(it, Binary::Greater, None)?;
        self.either(it.result_type()?, less, greater)
    }

    pub(super) fn unordered(&mut self, it: &Instruction<'_>) -> Result<Expr> {
        let left = self.is_special(it.id(0)?, Binary::Greater)?;
        let right = self.is_special(it.id(1)?, Binary::Greater)?;
        self.either(it.result_type()?, left, right)
    }

    /// Compares the bits of a float's magnitude with those of infinity. Compilers may assume that no
    /// float is infinite or not a number, but they cannot assume anything of integers.
    pub(super) fn is_special(&mut self, id: Id, op: Binary) -> Result<Expr> {
        let ty = self.type_id(id)?;
        let value = self.value(id)?;
        self.compared_with_infinity(ty, value, op)
    }

    /// The magnitude of a value of this type against infinity, by their bits.
    pub(crate) fn compared_with_infinity(
        &mut self,
        ty: Id,
        value: Expr,
        op: Binary,
    ) -> Result<Expr> {
        let mut expr = value;
        let width = self.scalar(ty)?.width;
        if width == 2 {
            expr = self.add(Expression::As {
                expr,
                kind: ScalarKind::Float,
                convert: Some(4),
            });
        }
        let bits = self.add(Expression::As {
            expr,
            kind: ScalarKind::Uint,
            convert: None,
        });
        let (mask, infinity) = match width {
            8 => (Literal::U64(u64::MAX >> 1), Literal::U64(0x7ff << 52)),
            _ => (Literal::U32(u32::MAX >> 1), Literal::U32(0xff << 23)),
        };
        let mask = self.number(ty, mask)?;
        let infinity = self.number(ty, infinity)?;
        let magnitude = self.two(Binary::And, bits, mask);
        Ok(self.two(op, magnitude, infinity))
    }

    pub(super) fn relational(
        &mut self,
        it: &Instruction<'_>,
        fun: RelationalFunction,
    ) -> Result<Expr> {
        let argument = self.value(it.id(0)?)?;
        Ok(self.add(Expression::Relational { fun, argument }))
    }

    pub(super) fn select(&mut self, it: &Instruction<'_>) -> Result<Expr> {
        let condition = self.value(it.id(0)?)?;
        let ty = it.result_type()?;
        let (accept, reject) = (self.value(it.id(1)?)?, self.value(it.id(2)?)?);
        if let TypeInner::Scalar(_) | TypeInner::Vector { .. } = self.inner(ty)? {
            return Ok(self.add(Expression::Select {
                condition,
                accept,
                reject,
            }));
        }
        // WGSL selects numbers only.
        let ty = self.reader.value_type(ty)?;
        let local = self.local(None, ty);
        let accept = self.braces(|body| {
            body.store_local(local, accept);
            Ok(())
        })?;
        let reject = self.braces(|body| {
            body.store_local(local, reject);
            Ok(())
        })?;
        self.push(Statement::If {
            condition,
            accept,
            reject,
        });
        Ok(self.load_local(local))
    }
}
