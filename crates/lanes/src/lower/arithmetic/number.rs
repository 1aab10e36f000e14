//! Type legalisation: numeric types of the source as values of 32 bits.
//!
//! A number of up to 32 bits is one value: an `f16` is the `f32` with the same value, a 16-bit integer is sign- or
//! zero-extended. A 64-bit number is two values, the low half first. Moves are independent of the type; operators,
//! functions, conversions and memory accesses dispatch on it here.

use naga::{BinaryOperator, Literal, MathFunction, ScalarKind, UnaryOperator};

use crate::ir::WordCompare;

use crate::lower::Lowering;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::layout::ScalarType;

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Number {
    Bool,
    F16,
    F32,
    F64,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
}

impl Number {
    pub(in crate::lower) fn of(scalar: naga::Scalar) -> Result<Self> {
        Ok(match (scalar.kind, scalar.width) {
            (ScalarKind::Bool, _) => Self::Bool,
            (ScalarKind::Float, 2) => Self::F16,
            (ScalarKind::Float, 4) => Self::F32,
            (ScalarKind::Float, 8) => Self::F64,
            (ScalarKind::Sint, 2) => Self::I16,
            (ScalarKind::Uint, 2) => Self::U16,
            (ScalarKind::Sint, 4) => Self::I32,
            (ScalarKind::Uint, 4) => Self::U32,
            (ScalarKind::Sint, 8) => Self::I64,
            (ScalarKind::Uint, 8) => Self::U64,
            _ => return unsupported("abstract numbers"),
        })
    }

    /// The kind of each of its 32-bit values.
    pub(in crate::lower) fn kind(self) -> ScalarType {
        match self {
            Self::Bool => ScalarType::Bool,
            Self::F16 | Self::F32 | Self::F64 => ScalarType::Float,
            Self::I16 | Self::I32 => ScalarType::Sint,
            // The halves of a 64-bit number are unsigned.
            Self::U16 | Self::U32 | Self::I64 | Self::U64 => ScalarType::Uint,
        }
    }

    /// The number of its 32-bit values.
    pub(in crate::lower) fn values(self) -> usize {
        match self {
            Self::F64 | Self::I64 | Self::U64 => 2,
            _ => 1,
        }
    }

    pub(in crate::lower) fn is_signed(self) -> bool {
        matches!(self, Self::I16 | Self::I32 | Self::I64)
    }

    pub(in crate::lower) fn is_float(self) -> bool {
        self.kind() == ScalarType::Float
    }
}

/// The 32-bit values of a literal.
pub(in crate::lower) fn literal(literal: Literal) -> Result<Scalars> {
    let one = |word: u32| Scalars::from_iter([Scalar::Known(word)]);
    let two = |word: u64| [word as u32, (word >> 32) as u32];
    Ok(match literal {
        Literal::F32(value) => one(value.to_bits()),
        Literal::F16(value) => one(value.to_f32().to_bits()),
        Literal::U32(value) => one(value),
        Literal::I32(value) => one(value.cast_unsigned()),
        Literal::U16(value) => one(value.into()),
        Literal::I16(value) => one(i32::from(value).cast_unsigned()),
        Literal::U64(value) => two(value).map(Scalar::Known).into_iter().collect(),
        Literal::I64(value) => two(value.cast_unsigned())
            .map(Scalar::Known)
            .into_iter()
            .collect(),
        Literal::Bool(value) => one(value.into()),
        Literal::F64(value) => two(value.to_bits())
            .map(Scalar::Known)
            .into_iter()
            .collect(),
        _ => return unsupported("abstract numbers"),
    })
}

/// A number of one value.
pub(in crate::lower) fn one(scalar: Scalar) -> Scalars {
    Scalars::from_iter([scalar])
}

impl Lowering<'_> {
    /// A binary operator on two numbers of one type; the second operand of a shift is any integer.
    pub(in crate::lower) fn operate_on(
        &mut self,
        op: BinaryOperator,
        number: Number,
        a: &[Scalar],
        b: &[Scalar],
    ) -> Result<Scalars> {
        match number {
            Number::Bool | Number::F32 | Number::I32 | Number::U32 => {
                self.operate(op, number.kind(), &a[0], &b[0]).map(one)
            }
            Number::F16 => self.operate_halves(op, &a[0], &b[0]).map(one),
            Number::I16 | Number::U16 => self.operate_short(op, number, &a[0], &b[0]).map(one),
            Number::I64 | Number::U64 => self.operate_wide(op, number, a, b),
            Number::F64 => self.operate_double(op, a, b),
        }
    }

    /// A unary operator.
    pub(in crate::lower) fn negate_number(
        &mut self,
        op: UnaryOperator,
        number: Number,
        a: &[Scalar],
    ) -> Result<Scalars> {
        match number {
            Number::I16 | Number::U16 => {
                let value = self.negate(op, number.kind(), &a[0])?;
                Ok(one(self.extended(number, &value)))
            }
            Number::I64 | Number::U64 => self.negate_wide(op, a),
            Number::F64 => Ok(self.negate_double(a)),
            _ => self.negate(op, number.kind(), &a[0]).map(one),
        }
    }

    /// A builtin function, component by component.
    pub(in crate::lower) fn function_of(
        &mut self,
        function: MathFunction,
        number: Number,
        a: &[&[Scalar]],
    ) -> Result<Scalars> {
        let firsts = || {
            a.iter()
                .map(|scalars| scalars[0].clone())
                .collect::<Vec<_>>()
        };
        match number {
            Number::F16 => self.half_function(function, &firsts()).map(one),
            Number::I16 | Number::U16 => self.short_function(function, number, &firsts()).map(one),
            Number::I64 | Number::U64 => self.wide_function(function, number, a),
            Number::F64 => self.double_function(function, a),
            _ => self
                .componentwise(function, number.kind(), &firsts())
                .map(one),
        }
    }

    /// Converts a number to another type.
    pub(in crate::lower) fn convert_number(
        &mut self,
        from: Number,
        to: Number,
        a: &[Scalar],
    ) -> Result<Scalars> {
        use Number as N;
        Ok(match (from, to) {
            _ if from == to => a.iter().cloned().collect(),
            (N::F64, _) => self.from_double(to, a)?,
            (_, N::F64) => self.to_double(from, a),
            (N::I64 | N::U64, N::I64 | N::U64) => a.iter().cloned().collect(),
            (N::I64 | N::U64, N::Bool) => {
                let any = self.integer(crate::ir::WordBinary::Or, &a[0], &a[1]);
                one(self.integer_compare(WordCompare::Ne, &any, &Scalar::ZERO))
            }
            (N::I64 | N::U64, N::F32) => one(self.wide_to_float(from, a)),
            (N::I64 | N::U64, N::F16) => {
                // An integer too large for an `f32` is also infinite as an `f16`, so there is no double rounding.
                let float = self.wide_to_float(from, a);
                one(self.rounded_to_half(&float))
            }
            (N::I64 | N::U64, _) => one(self.extended(to, &a[0])),
            (N::F32, N::I64 | N::U64) => self.float_to_wide(to, &a[0]),
            (N::F16, N::I64 | N::U64) => {
                let near = if to == N::I64 { N::I32 } else { N::U32 };
                let near_value = self.half_to_integer(near, &a[0])?;
                self.widened(near, &near_value)
            }
            (_, N::I64 | N::U64) => self.widened(from, &a[0]),
            (N::F16, N::F32) => one(a[0].clone()),
            (N::F16, N::Bool) => {
                one(self.convert(ScalarType::Float, ScalarKind::Bool, Some(1), &a[0])?)
            }
            (N::F16, _) => one(self.half_to_integer(to, &a[0])?),
            (_, N::F16) => {
                let float = self.convert(from.kind(), ScalarKind::Float, Some(4), &a[0])?;
                one(self.rounded_to_half(&float))
            }
            (N::F32, N::I16 | N::U16) => one(self.float_to_short(to, &a[0])),
            (N::Bool, N::I16 | N::U16) => {
                one(self.convert(ScalarType::Bool, ScalarKind::Uint, Some(4), &a[0])?)
            }
            (_, N::I16 | N::U16) => one(self.extended(to, &a[0])),
            _ => {
                let kind = match to.kind() {
                    ScalarType::Bool => ScalarKind::Bool,
                    ScalarType::Float => ScalarKind::Float,
                    ScalarType::Sint => ScalarKind::Sint,
                    ScalarType::Uint => ScalarKind::Uint,
                };
                one(self.convert(from.kind(), kind, Some(4), &a[0])?)
            }
        })
    }

    /// Bitcast to another type of the same size.
    pub(in crate::lower) fn bits_as(
        &mut self,
        from: Number,
        to: Number,
        a: &[Scalar],
    ) -> Result<Scalars> {
        use Number as N;
        Ok(match (from, to) {
            (N::Bool, _) | (_, N::Bool) => return unsupported("bits of truth"),
            (N::F16, N::I16 | N::U16) => {
                let bits = self.half_bits(&a[0]);
                one(self.extended(to, &bits))
            }
            (N::I16 | N::U16, N::F16) => one(self.half_from_bits(&a[0])),
            (N::I16 | N::U16, N::I16 | N::U16) => one(self.extended(to, &a[0])),
            _ => a.iter().cloned().collect(),
        })
    }

    /// A number as a 32-bit index; one that does not fit saturates and stays out of bounds.
    pub(in crate::lower) fn as_index(&mut self, a: &[Scalar]) -> Scalar {
        match a {
            [low, high] => {
                let is_small = self.integer_compare(WordCompare::Eq, high, &Scalar::ZERO);
                self.choose_by(&is_small, low, &Scalar::Known(u32::MAX), ScalarType::Uint)
            }
            _ => a[0].clone(),
        }
    }
}
