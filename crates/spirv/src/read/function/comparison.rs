//! Comparisons, NaN and infinity tests, and `OpSelect` of values.
//!
//! An unordered comparison is the negation of the opposite ordered one. NaN and infinity are tested on the bits,
//! because WGSL compilers may assume that floats are finite.

use anywarp_program::naga::{
    BinaryOperator as Binary, Expression, Literal, RelationalFunction, ScalarKind, Statement,
    TypeInner,
};
use rspirv::spirv::Op;

use super::body::Body;
use crate::error::Result;
use crate::module::{Id, Instruction};
use crate::read::function::Expr;

impl Body<'_, '_> {
    pub(super) fn comparison(&mut self, it: &Instruction<'_>) -> Result<()> {
        let value = self.compared(it)?;
        self.set(it, value)
    }

    fn compared(&mut self, it: &Instruction<'_>) -> Result<Expr> {
        let (signed, unsigned) = (Some(ScalarKind::Sint), Some(ScalarKind::Uint));
        let own = match it.op {
            Op::IEqual | Op::INotEqual => self.compared_kind(it)?,
            _ => None,
        };
        match it.op {
            Op::LogicalEqual | Op::IEqual => self.compare(it, Binary::Equal, own),
            Op::LogicalNotEqual | Op::INotEqual => self.compare(it, Binary::NotEqual, own),
            Op::ULessThan => self.compare(it, Binary::Less, unsigned),
            Op::ULessThanEqual => self.compare(it, Binary::LessEqual, unsigned),
            Op::UGreaterThan => self.compare(it, Binary::Greater, unsigned),
            Op::UGreaterThanEqual => self.compare(it, Binary::GreaterEqual, unsigned),
            Op::SLessThan => self.compare(it, Binary::Less, signed),
            Op::SLessThanEqual => self.compare(it, Binary::LessEqual, signed),
            Op::SGreaterThan => self.compare(it, Binary::Greater, signed),
            Op::SGreaterThanEqual => self.compare(it, Binary::GreaterEqual, signed),

            Op::FOrdEqual => self.compare(it, Binary::Equal, None),
            Op::FOrdLessThan => self.compare(it, Binary::Less, None),
            Op::FOrdLessThanEqual => self.compare(it, Binary::LessEqual, None),
            Op::FOrdGreaterThan => self.compare(it, Binary::Greater, None),
            Op::FOrdGreaterThanEqual => self.compare(it, Binary::GreaterEqual, None),
            Op::FOrdNotEqual | Op::LessOrGreater => self.differ_ordered(it),
            // An unordered comparison is true on NaN: it is the negation of the opposite ordered one.
            Op::FUnordEqual => self.differ_ordered(it).map(|it| self.not(it)),
            // Some WGSL compilers treat `!=` as ordered.
            Op::FUnordNotEqual => self.compare_not(it, Binary::Equal),
            Op::FUnordLessThan => self.compare_not(it, Binary::GreaterEqual),
            Op::FUnordLessThanEqual => self.compare_not(it, Binary::Greater),
            Op::FUnordGreaterThan => self.compare_not(it, Binary::LessEqual),
            Op::FUnordGreaterThanEqual => self.compare_not(it, Binary::Less),
            Op::Ordered => self.unordered(it).map(|it| self.not(it)),
            Op::Unordered => self.unordered(it),
            Op::IsNan => self.is_special(it.id(0)?, Binary::Greater),
            Op::IsInf => self.is_special(it.id(0)?, Binary::Equal),
            _ => Err(it.unsupported("this instruction")),
        }
    }

    /// The conjunction of two conditions, for operands of type `ty`.
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

    /// Compares the bits of the absolute value of a float with those of infinity. Compilers may assume that a float is
    /// finite, but not that an integer has no such value.
    pub(super) fn is_special(&mut self, id: Id, op: Binary) -> Result<Expr> {
        let ty = self.type_id(id)?;
        let value = self.value(id)?;
        self.compared_with_infinity(ty, value, op)
    }

    /// The same for an expression of type `ty`.
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

    pub(super) fn select_value(&mut self, it: &Instruction<'_>) -> Result<Expr> {
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
        // WGSL's `select` takes scalars and vectors only.
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
