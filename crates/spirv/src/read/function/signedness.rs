//! Selects the signedness in which integer instructions are evaluated.
//!
//! SPIR-V integer types have a signedness that most instructions ignore; WGSL operators need operands of one
//! signedness. In: an instruction with the same result bits for either signedness. Out: the one that needs the fewest
//! bitcasts. Constants can have either at no cost, and a bitcast of a bitcast is replaced by the original.

use crate::read::function::Expr;
use anywarp_program::naga::{Expression, Literal, Scalar, ScalarKind};

use super::body::Body;
use crate::error::Result;
use crate::module::{Id, Instruction};

impl Body<'_, '_> {
    /// The scalar kind of the result; `None` if it is not numeric.
    pub(super) fn own_kind(&mut self, instruction: &Instruction<'_>) -> Result<Option<ScalarKind>> {
        let is_numbers = |ty: &Id| self.reader.types.is_numbers(*ty);
        match instruction.result_type.filter(is_numbers) {
            Some(ty) => Ok(Some(self.scalar(ty)?.kind)),
            None => Ok(None),
        }
    }

    /// The signedness for an instruction whose result bits do not depend on it: that of the result type, unless both
    /// operands have the other.
    pub(super) fn either_kind(
        &mut self,
        instruction: &Instruction<'_>,
    ) -> Result<Option<ScalarKind>> {
        let Some(own) = self.own_kind(instruction)? else {
            return Ok(None);
        };
        let is_narrow = self.narrow_bits(instruction.result_type()?)?.is_some();
        let operands = [
            self.variable_kind(instruction.id(0)?)?,
            self.variable_kind(instruction.id(1)?)?,
        ];
        Ok(Some(match operands {
            [Some(left), Some(right)] if left == right && !is_narrow => left,
            _ => own,
        }))
    }

    /// The signedness for an equality comparison of integers.
    pub(super) fn compared_kind(
        &mut self,
        instruction: &Instruction<'_>,
    ) -> Result<Option<ScalarKind>> {
        let operands = [
            self.variable_kind(instruction.id(0)?)?,
            self.variable_kind(instruction.id(1)?)?,
        ];
        Ok(Some(match operands {
            [Some(left), Some(right)] if left == right => left,
            [Some(only), None] | [None, Some(only)] => only,
            _ => ScalarKind::Uint,
        }))
    }

    /// The signedness of an operand; `None` for a constant, which can have either.
    fn variable_kind(&mut self, id: Id) -> Result<Option<ScalarKind>> {
        if self.reader.constants.integer(id).is_some() {
            return Ok(None);
        }
        let ty = self.type_id(id)?;
        Ok(Some(self.scalar(ty)?.kind))
    }

    /// Reinterprets the bits of a 4- or 8-byte number as another kind. Between signed and unsigned integers this is a
    /// conversion, which is more readable in WGSL than `bitcast`.
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

    /// A literal reinterpreted in the other signedness; `None` if the expression is not such a literal. GLSL for
    /// example adds a signed 1 to unsigned numbers.
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
