//! Operators on 32-bit scalars, and conversions between their kinds.

use naga::{BinaryOperator, ScalarKind, UnaryOperator};

use crate::ir::{
    LaneBinary, LaneCompare, LaneUnary, MaskBinary, Op, Type, Value, WordBinary, WordCompare,
};

use crate::lower::Lowering;
use crate::lower::arithmetic::scalar::Scalar;
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::layout::ScalarType;

impl Lowering<'_> {
    /// A binary operator.
    pub(in crate::lower) fn operate(
        &mut self,
        op: BinaryOperator,
        kind: ScalarType,
        a: &Scalar,
        b: &Scalar,
    ) -> Result<Scalar> {
        use BinaryOperator as B;
        match kind {
            ScalarType::Bool => self.logic(op, a, b),
            ScalarType::Float => match op {
                B::Add => Ok(self.float_binary(LaneBinary::AddF, a, b)),
                B::Subtract => Ok(self.float_binary(LaneBinary::SubF, a, b)),
                B::Multiply => Ok(self.float_binary(LaneBinary::MulF, a, b)),
                B::Divide => Ok(self.float_binary(LaneBinary::DivF, a, b)),
                B::Modulo => Ok(self.float_remainder(a, b)),
                _ => self.float_comparison(op, a, b),
            },
            ScalarType::Sint | ScalarType::Uint => match integer_operator(op, kind) {
                Some(op) => Ok(self.integer(op, a, b)),
                None => {
                    let (op, swaps) = comparison(op, kind)?;
                    let (a, b) = if swaps { (b, a) } else { (a, b) };
                    Ok(self.integer_compare(op, a, b))
                }
            },
        }
    }

    pub(in crate::lower) fn float_binary(
        &mut self,
        op: LaneBinary,
        a: &Scalar,
        b: &Scalar,
    ) -> Scalar {
        let (x, y) = (self.lanes(a), self.lanes(b));
        let value = self.binary(op, x, y);
        self.result(value, &[a, b])
    }

    fn float_remainder(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        let (x, y) = (self.lanes(a), self.lanes(b));
        let quotient = self.binary(LaneBinary::DivF, x, y);
        let whole = self.emit(Op::Unary(LaneUnary::Trunc), &[quotient], Type::Lanes);
        let product = self.binary(LaneBinary::MulF, y, whole);
        let value = self.binary(LaneBinary::SubF, x, product);
        self.result(value, &[a, b])
    }

    fn float_comparison(&mut self, op: BinaryOperator, a: &Scalar, b: &Scalar) -> Result<Scalar> {
        use BinaryOperator as B;
        let (op, swaps) = match op {
            B::Equal => (LaneCompare::EqF, false),
            B::NotEqual => (LaneCompare::NeF, false),
            B::Less => (LaneCompare::LtF, false),
            B::LessEqual => (LaneCompare::LeF, false),
            B::Greater => (LaneCompare::LtF, true),
            B::GreaterEqual => (LaneCompare::LeF, true),
            _ => return unsupported("this operator on floats"),
        };
        let (x, y) = (self.lanes(a), self.lanes(b));
        let mask = if swaps {
            self.compare(op, y, x)
        } else {
            self.compare(op, x, y)
        };
        Ok(self.truth(mask, &[a, b]))
    }

    fn logic(&mut self, op: BinaryOperator, a: &Scalar, b: &Scalar) -> Result<Scalar> {
        use BinaryOperator as B;
        let (word, mask) = match op {
            B::And | B::LogicalAnd => (WordBinary::And, MaskBinary::And),
            B::InclusiveOr | B::LogicalOr => (WordBinary::Or, MaskBinary::Or),
            B::ExclusiveOr | B::NotEqual => (WordBinary::Xor, MaskBinary::Xor),
            B::Equal => {
                let unequal = self.logic(B::NotEqual, a, b)?;
                return Ok(self.not(&unequal));
            }
            _ => return unsupported("this operator on truth values"),
        };
        if a.is_uniform() && b.is_uniform() {
            return Ok(self.integer(word, a, b));
        }
        let (a, b) = (self.mask(a), self.mask(b));
        Ok(Scalar::Mask(self.mask_binary(mask, a, b)))
    }

    /// Logical not.
    pub(in crate::lower) fn not(&mut self, a: &Scalar) -> Scalar {
        match a {
            Scalar::Mask(mask) => {
                let all = self.full_mask();
                Scalar::Mask(self.mask_binary(MaskBinary::AndNot, all, *mask))
            }
            _ => self.integer(WordBinary::Xor, a, &Scalar::Known(1)),
        }
    }

    /// A unary operator.
    pub(in crate::lower) fn negate(
        &mut self,
        op: UnaryOperator,
        kind: ScalarType,
        a: &Scalar,
    ) -> Result<Scalar> {
        Ok(match (op, kind) {
            (UnaryOperator::LogicalNot, ScalarType::Bool) => self.not(a),
            (UnaryOperator::BitwiseNot, ScalarType::Sint | ScalarType::Uint) => {
                self.integer(WordBinary::Xor, a, &Scalar::Known(u32::MAX))
            }
            (UnaryOperator::Negate, ScalarType::Sint | ScalarType::Uint) => {
                self.integer(WordBinary::Sub, &Scalar::ZERO, a)
            }
            (UnaryOperator::Negate, ScalarType::Float) => {
                if let Scalar::Known(word) = a {
                    return Ok(Scalar::Known(word ^ 0x8000_0000));
                }
                let (x, sign) = (self.lanes(a), self.splat(0x8000_0000));
                let value = self.int(WordBinary::Xor, x, sign);
                self.result(value, &[a])
            }
            _ => return unsupported("this operator"),
        })
    }

    /// Converts a scalar to another kind; `width` is `None` for a bitcast.
    pub(in crate::lower) fn convert(
        &mut self,
        from: ScalarType,
        to: ScalarKind,
        width: Option<u8>,
        a: &Scalar,
    ) -> Result<Scalar> {
        if width.is_some_and(|width| width != 4 && to != ScalarKind::Bool) {
            return unsupported("conversions to other widths than 32 bits");
        }
        if width.is_none() {
            return Ok(match (from, to) {
                (ScalarType::Bool, _) | (_, ScalarKind::Bool) => {
                    return unsupported("bits of truth");
                }
                _ => a.clone(),
            });
        }
        Ok(match (from, to) {
            (ScalarType::Bool, ScalarKind::Bool)
            | (ScalarType::Float, ScalarKind::Float)
            | (ScalarType::Sint | ScalarType::Uint, ScalarKind::Sint | ScalarKind::Uint) => {
                a.clone()
            }
            (ScalarType::Float, ScalarKind::Bool) => {
                let (x, zero) = (self.lanes(a), self.splat(0));
                let mask = self.compare(LaneCompare::NeF, x, zero);
                self.truth(mask, &[a])
            }
            (_, ScalarKind::Bool) => self.integer_compare(WordCompare::Ne, a, &Scalar::ZERO),
            (ScalarType::Bool, ScalarKind::Float) => {
                let one = Scalar::Known(1f32.to_bits());
                self.choose_by(a, &one, &Scalar::ZERO, ScalarType::Float)
            }
            (ScalarType::Bool, _) => {
                self.choose_by(a, &Scalar::Known(1), &Scalar::ZERO, ScalarType::Uint)
            }
            (ScalarType::Sint, ScalarKind::Float) => self.unary(LaneUnary::FromS, a),
            (ScalarType::Uint, ScalarKind::Float) => self.unary(LaneUnary::FromU, a),
            (ScalarType::Float, ScalarKind::Sint) => {
                self.truncated(LaneUnary::ToS, a, 2_147_483_520.0)
            }
            (ScalarType::Float, ScalarKind::Uint) => {
                self.truncated(LaneUnary::ToU, a, 4_294_967_040.0)
            }
            _ => return unsupported("this conversion"),
        })
    }

    pub(in crate::lower) fn unary(&mut self, op: LaneUnary, a: &Scalar) -> Scalar {
        let x = self.lanes(a);
        let value = self.emit(Op::Unary(op), &[x], Type::Lanes);
        self.result(value, &[a])
    }

    /// Truncates to an integer, clamped to the greatest one that is also a float, as WGSL requires since 2025.
    fn truncated(&mut self, op: LaneUnary, a: &Scalar, greatest: f32) -> Scalar {
        let (x, most) = (self.lanes(a), self.float(greatest));
        // `min` returns its second operand for NaN, so the operands must be in this order.
        let least = self.binary(LaneBinary::MinF, most, x);
        let value = self.emit(Op::Unary(op), &[least], Type::Lanes);
        self.result(value, &[a])
    }

    /// Float `min` or `max`: returns the other operand if one is NaN, and the second if both are zeros.
    pub(in crate::lower) fn float_extreme(&mut self, op: LaneBinary, x: Value, y: Value) -> Value {
        if let Some(Op::Splat(bits)) = self.function.constant(x)
            && f32::from_bits(bits).abs() > 0.0
        {
            // Not both are zeros, and `x` is a number.
            return self.binary(op, y, x);
        }
        // Returns `y` if either operand is NaN. For a `y` that is a number, `fold` removes the rest.
        let extreme = self.binary(op, x, y);
        let is_number = self.compare(LaneCompare::EqF, y, y);
        self.select(is_number, extreme, x)
    }
}

fn integer_operator(op: BinaryOperator, kind: ScalarType) -> Option<WordBinary> {
    use BinaryOperator as B;
    let is_signed = kind == ScalarType::Sint;
    Some(match op {
        B::Add => WordBinary::Add,
        B::Subtract => WordBinary::Sub,
        B::Multiply => WordBinary::Mul,
        B::Divide if is_signed => WordBinary::DivS,
        B::Divide => WordBinary::DivU,
        B::Modulo if is_signed => WordBinary::RemS,
        B::Modulo => WordBinary::RemU,
        B::And => WordBinary::And,
        B::InclusiveOr => WordBinary::Or,
        B::ExclusiveOr => WordBinary::Xor,
        B::ShiftLeft => WordBinary::Shl,
        B::ShiftRight if is_signed => WordBinary::ShrS,
        B::ShiftRight => WordBinary::ShrU,
        _ => return None,
    })
}

/// The comparison instruction, and whether its operands are swapped.
fn comparison(op: BinaryOperator, kind: ScalarType) -> Result<(WordCompare, bool)> {
    use BinaryOperator as B;
    let (less, less_equal) = match kind {
        ScalarType::Sint => (WordCompare::LtS, WordCompare::LeS),
        _ => (WordCompare::LtU, WordCompare::LeU),
    };
    Ok(match op {
        B::Equal => (WordCompare::Eq, false),
        B::NotEqual => (WordCompare::Ne, false),
        B::Less => (less, false),
        B::LessEqual => (less_equal, false),
        B::Greater => (less, true),
        B::GreaterEqual => (less_equal, true),
        _ => return unsupported("this operator on integers"),
    })
}
