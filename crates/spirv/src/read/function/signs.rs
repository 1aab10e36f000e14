//! Which sign integers have while they are computed with.
//!
//! SPIR-V's integers have a sign in their type, and most instructions ignore it; WGSL's operators want
//! operands of one sign. In: an instruction that gives the same bits for both signs. Out: the sign that
//! needs the fewest reinterpretations. Constants have either sign for nothing, and what was reinterpreted
//! once and is again is what it was at first.

use crate::read::function::Expr;
use anywarp_program::naga::{Expression, Literal, Scalar, ScalarKind};

use super::body::Body;
use crate::error::Result;
use crate::module::{Id, Instruction};

impl Body<'_, '_> {
    /// What a result's integers are; nothing for instructions that make no numbers.
    pub(super) fn own_kind(&mut self, it: &Instruction<'_>) -> Result<Option<ScalarKind>> {
        let is_numbers = |ty: &Id| self.reader.types.is_numbers(*ty);
        match it.result_type.filter(is_numbers) {
            Some(ty) => Ok(Some(self.scalar(ty)?.kind)),
            None => Ok(None),
        }
    }

    /// The sign for an instruction whose result has the same bits for both: that of its result, unless both
    /// operands have the other.
    pub(super) fn either_kind(&mut self, it: &Instruction<'_>) -> Result<Option<ScalarKind>> {
        let Some(own) = self.own_kind(it)? else {
            return Ok(None);
        };
        let is_narrow = self.narrow_bits(it.result_type()?)?.is_some();
        let operands = [
            self.variable_kind(it.id(0)?)?,
            self.variable_kind(it.id(1)?)?,
        ];
        Ok(Some(match operands {
            [Some(left), Some(right)] if left == right && !is_narrow => left,
            _ => own,
        }))
    }

    /// The sign in which two integers are compared for equality.
    pub(super) fn compared_kind(&mut self, it: &Instruction<'_>) -> Result<Option<ScalarKind>> {
        let operands = [
            self.variable_kind(it.id(0)?)?,
            self.variable_kind(it.id(1)?)?,
        ];
        Ok(Some(match operands {
            [Some(left), Some(right)] if left == right => left,
            [Some(only), None] | [None, Some(only)] => only,
            _ => ScalarKind::Uint,
        }))
    }

    /// The sign of an operand; nothing for a constant, which may have either.
    fn variable_kind(&mut self, id: Id) -> Result<Option<ScalarKind>> {
        if self.reader.constants.integer(id).is_some() {
            return Ok(None);
        }
        let ty = self.type_id(id)?;
        Ok(Some(self.scalar(ty)?.kind))
    }

    /// The same bits, of 4 or 8 bytes, as numbers of another kind. Integers of one sign become those of the
    /// other by a conversion, which reads better than `bitcast`.
    pub(super) fn reinterpreted(&mut self, expr: Expr, from: ScalarKind, to: Scalar) -> Expr {
        let is_integer = |kind| matches!(kind, ScalarKind::Sint | ScalarKind::Uint);
        let kind = to.kind;
        if !is_integer(from) || !is_integer(kind) {
            return self.add(Expression::As {
                expr,
                kind,
                convert: None,
            });
        }
        if let Some((was, original)) = self.recast.get(&expr)
            && *was == kind
        {
            return *original;
        }
        let recast = self.add(Expression::As {
            expr,
            kind,
            convert: Some(to.width),
        });
        self.recast.insert(recast, (from, expr));
        recast
    }

    /// The same bits as a number of the other sign, if they are known now. GLSL counts unsigned numbers by
    /// a signed 1.
    pub(super) fn literal_with_sign(&mut self, expr: Expr, kind: ScalarKind) -> Option<Expr> {
        let Expression::Literal(literal) = self.function.expressions[expr] else {
            return None;
        };
        let literal = match (literal, kind) {
            (Literal::I32(value), ScalarKind::Uint) => Literal::U32(value.cast_unsigned()),
            (Literal::U32(value), ScalarKind::Sint) => Literal::I32(value.cast_signed()),
            (Literal::I64(value), ScalarKind::Uint) => Literal::U64(value.cast_unsigned()),
            (Literal::U64(value), ScalarKind::Sint) => Literal::I64(value.cast_signed()),
            _ => return None,
        };
        Some(self.literal(literal))
    }
}
