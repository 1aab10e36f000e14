//! Integer arithmetic with two results: add with carry, subtract with borrow, and extended multiplication.
//!
//! WGSL has none of these: carries are computed by comparison, high words by multiplication of half words.

use crate::read::function::Expr;
use anywarp_program::naga::{BinaryOperator as Binary, Expression, Literal, ScalarKind};
use rspirv::spirv::Op;

use super::body::Body;
use crate::error::Result;
use crate::module::{Id, Instruction};
use crate::read::types::Type;

impl Body<'_, '_> {
    /// Both results: the low bits, and the carry, borrow or high bits.
    pub(super) fn extended_arithmetic(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let result = instruction.result_type()?;
        let Type::Struct { members } = self.reader.types.get(result)? else {
            return Err(instruction.invalid("its result is no struct"));
        };
        let ty = *members
            .first()
            .ok_or_else(|| instruction.invalid("its result has no members"))?;
        let unsigned = Some(ScalarKind::Uint);
        let signed_or_not = match instruction.op {
            Op::SMulExtended if self.narrow_bits(ty)?.is_some() => ScalarKind::Sint,
            _ => ScalarKind::Uint,
        };
        let left = self.operand(instruction.id(0)?, Some(signed_or_not))?;
        let right = self.operand(instruction.id(1)?, Some(signed_or_not))?;
        // The full result of narrow operands fits into 32 bits.
        if let Some(bits) = self.narrow_bits(ty)?
            && instruction.op != Op::ISubBorrow
        {
            let op = match instruction.op {
                Op::IAddCarry => Binary::Add,
                _ => Binary::Multiply,
            };
            let low = self.two(op, left, right);
            let bits = self.number(ty, Literal::U32(bits))?;
            let high = self.two(Binary::ShiftRight, low, bits);
            let low = self.result(ty, low, Some(signed_or_not))?;
            let high = self.result(ty, high, Some(signed_or_not))?;
            let ty = self.reader.value_type(result)?;
            let components = vec![low, high];
            return Ok(self.add(Expression::Compose { ty, components }));
        }
        let (low, high) = match instruction.op {
            Op::IAddCarry => {
                let sum = self.two(Binary::Add, left, right);
                let is_over = self.two(Binary::Less, sum, left);
                (sum, self.one_if(ty, is_over)?)
            }
            Op::ISubBorrow => {
                let difference = self.two(Binary::Subtract, left, right);
                let is_under = self.two(Binary::Less, left, right);
                (difference, self.one_if(ty, is_under)?)
            }
            _ => {
                let low = self.two(Binary::Multiply, left, right);
                let high = self.high_product(ty, left, right)?;
                (
                    low,
                    match instruction.op {
                        Op::SMulExtended => self.signed_high_product(ty, high, left, right)?,
                        _ => high,
                    },
                )
            }
        };
        let low = self.result(ty, low, unsigned)?;
        let high = self.result(ty, high, unsigned)?;
        let ty = self.reader.value_type(result)?;
        let components = vec![low, high];
        Ok(self.add(Expression::Compose { ty, components }))
    }

    pub(super) fn one_if(&mut self, ty: Id, condition: Expr) -> Result<Expr> {
        let accept = self.unsigned(ty, 1)?;
        let reject = self.unsigned(ty, 0)?;
        Ok(self.add(Expression::Select {
            condition,
            accept,
            reject,
        }))
    }

    /// An unsigned literal of the width of a type, splatted if it is a vector.
    pub(super) fn unsigned(&mut self, ty: Id, value: u64) -> Result<Expr> {
        let literal = match self.scalar(ty)?.width {
            8 => Literal::U64(value),
            _ => Literal::U32(value as u32),
        };
        self.number(ty, literal)
    }

    /// The high word of an unsigned product, by multiplication of half words.
    pub(super) fn high_product(&mut self, ty: Id, left: Expr, right: Expr) -> Result<Expr> {
        let half = u32::from(self.scalar(ty)?.width) * 4;
        let mask = self.unsigned(ty, (1 << half) - 1)?;
        let sixteen = self.number(ty, Literal::U32(half))?;
        let (a0, b0) = (
            self.two(Binary::And, left, mask),
            self.two(Binary::And, right, mask),
        );
        let a1 = self.two(Binary::ShiftRight, left, sixteen);
        let b1 = self.two(Binary::ShiftRight, right, sixteen);
        let low = self.two(Binary::Multiply, a0, b0);
        let carried = self.two(Binary::ShiftRight, low, sixteen);
        let product = self.two(Binary::Multiply, a1, b0);
        let middle = self.two(Binary::Add, product, carried);
        let middle_low = self.two(Binary::And, middle, mask);
        let middle_high = self.two(Binary::ShiftRight, middle, sixteen);
        let product = self.two(Binary::Multiply, a0, b1);
        let middle = self.two(Binary::Add, product, middle_low);
        let carried = self.two(Binary::ShiftRight, middle, sixteen);
        let product = self.two(Binary::Multiply, a1, b1);
        let high = self.two(Binary::Add, product, middle_high);
        Ok(self.two(Binary::Add, high, carried))
    }

    /// Corrects the high word of an unsigned product for negative factors, which it took for 2^32 or 2^64 more.
    pub(super) fn signed_high_product(
        &mut self,
        ty: Id,
        high: Expr,
        left: Expr,
        right: Expr,
    ) -> Result<Expr> {
        let bits = u32::from(self.scalar(ty)?.width) * 8;
        let top = self.unsigned(ty, 1 << (bits - 1))?;
        let zero = self.unsigned(ty, 0)?;
        let mut high = high;
        for (factor, other) in [(left, right), (right, left)] {
            let condition = self.two(Binary::GreaterEqual, factor, top);
            let less = self.add(Expression::Select {
                condition,
                accept: other,
                reject: zero,
            });
            high = self.two(Binary::Subtract, high, less);
        }
        Ok(high)
    }
}
