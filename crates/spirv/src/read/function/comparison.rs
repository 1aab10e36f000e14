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
    pub(super) fn comparison(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let value = self.compared(instruction)?;
        self.set(instruction, value)
    }

    fn compared(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let (signed, unsigned) = (Some(ScalarKind::Sint), Some(ScalarKind::Uint));
        let own = match instruction.op {
            Op::IEqual | Op::INotEqual => self.compared_kind(instruction)?,
            _ => None,
        };
        match instruction.op {
            Op::LogicalEqual | Op::IEqual => self.compare(instruction, Binary::Equal, own),
            Op::LogicalNotEqual | Op::INotEqual => self.compare(instruction, Binary::NotEqual, own),
            Op::ULessThan => self.compare(instruction, Binary::Less, unsigned),
            Op::ULessThanEqual => self.compare(instruction, Binary::LessEqual, unsigned),
            Op::UGreaterThan => self.compare(instruction, Binary::Greater, unsigned),
            Op::UGreaterThanEqual => self.compare(instruction, Binary::GreaterEqual, unsigned),
            Op::SLessThan => self.compare(instruction, Binary::Less, signed),
            Op::SLessThanEqual => self.compare(instruction, Binary::LessEqual, signed),
            Op::SGreaterThan => self.compare(instruction, Binary::Greater, signed),
            Op::SGreaterThanEqual => self.compare(instruction, Binary::GreaterEqual, signed),

            Op::FOrdEqual => self.compare(instruction, Binary::Equal, None),
            Op::FOrdLessThan => self.compare(instruction, Binary::Less, None),
            Op::FOrdLessThanEqual => self.compare(instruction, Binary::LessEqual, None),
            Op::FOrdGreaterThan => self.compare(instruction, Binary::Greater, None),
            Op::FOrdGreaterThanEqual => self.compare(instruction, Binary::GreaterEqual, None),
            Op::FOrdNotEqual | Op::LessOrGreater => self.differ_ordered(instruction),
            // An unordered comparison is true on NaN: it is the negation of the opposite ordered one.
            Op::FUnordEqual => self
                .differ_ordered(instruction)
                .map(|value| self.not(value)),
            // Some WGSL compilers treat `!=` as ordered.
            Op::FUnordNotEqual => self.compare_not(instruction, Binary::Equal),
            Op::FUnordLessThan => self.compare_not(instruction, Binary::GreaterEqual),
            Op::FUnordLessThanEqual => self.compare_not(instruction, Binary::Greater),
            Op::FUnordGreaterThan => self.compare_not(instruction, Binary::LessEqual),
            Op::FUnordGreaterThanEqual => self.compare_not(instruction, Binary::Less),
            Op::Ordered => self.unordered(instruction).map(|value| self.not(value)),
            Op::Unordered => self.unordered(instruction),
            Op::IsNan => self.is_special(instruction.id(0)?, Binary::Greater),
            Op::IsInf => self.is_special(instruction.id(0)?, Binary::Equal),
            _ => Err(instruction.unsupported("this instruction")),
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
        instruction: &Instruction<'_>,
        scalar: Binary,
        vector: Binary,
    ) -> Result<Expr> {
        let op = match self.inner(instruction.result_type()?)? {
            TypeInner::Vector { .. } => vector,
            _ => scalar,
        };
        self.binary(instruction, op, None)
    }

    pub(super) fn compare(
        &mut self,
        instruction: &Instruction<'_>,
        op: Binary,
        kind: Option<ScalarKind>,
    ) -> Result<Expr> {
        let left = self.operand(instruction.id(0)?, kind)?;
        let right = self.operand(instruction.id(1)?, kind)?;
        Ok(self.two(op, left, right))
    }

    pub(super) fn compare_not(
        &mut self,
        instruction: &Instruction<'_>,
        op: Binary,
    ) -> Result<Expr> {
        let value = self.compare(instruction, op, None)?;
        Ok(self.not(value))
    }

    pub(super) fn differ_ordered(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let less = self.compare(instruction, Binary::Less, None)?;
        let greater = self.compare(instruction, Binary::Greater, None)?;
        self.either(instruction.result_type()?, less, greater)
    }

    pub(super) fn unordered(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let left = self.is_special(instruction.id(0)?, Binary::Greater)?;
        let right = self.is_special(instruction.id(1)?, Binary::Greater)?;
        self.either(instruction.result_type()?, left, right)
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
        instruction: &Instruction<'_>,
        fun: RelationalFunction,
    ) -> Result<Expr> {
        let argument = self.value(instruction.id(0)?)?;
        Ok(self.add(Expression::Relational { fun, argument }))
    }

    pub(super) fn select_value(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let condition = self.value(instruction.id(0)?)?;
        let ty = instruction.result_type()?;
        let (accept, reject) = (
            self.value(instruction.id(1)?)?,
            self.value(instruction.id(2)?)?,
        );
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
