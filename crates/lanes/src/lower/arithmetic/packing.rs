//! Pack and unpack functions, `modf`, `frexp` and `ldexp`.

use naga::MathFunction;

use crate::ir::{LaneBinary, LaneCompare, LaneUnary, Op, Type, Value, WordBinary, WordCompare};

use crate::lower::Lowering;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::Result;
use crate::lower::memory::layout::ScalarType;

/// The encoding of the parts of a packed word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PackedNumber {
    /// `snorm` or `unorm`: floats from -1 or 0 to 1, in multiples of 1 / `steps`.
    Norm {
        is_signed: bool,
        steps: u16,
    },
    Float16,
    /// The low bits of an integer.
    Low {
        is_signed: bool,
    },
    /// An integer, clamped to the range of the part.
    Clamped {
        is_signed: bool,
    },
}

fn coded(function: MathFunction) -> Option<(bool, u32, PackedNumber)> {
    use MathFunction as F;
    let norm = |is_signed, steps| PackedNumber::Norm { is_signed, steps };
    Some(match function {
        F::Pack4x8snorm => (true, 4, norm(true, 127)),
        F::Pack4x8unorm => (true, 4, norm(false, 255)),
        F::Pack2x16snorm => (true, 2, norm(true, 32767)),
        F::Pack2x16unorm => (true, 2, norm(false, 65535)),
        F::Pack2x16float => (true, 2, PackedNumber::Float16),
        F::Pack4xI8 => (true, 4, PackedNumber::Low { is_signed: true }),
        F::Pack4xU8 => (true, 4, PackedNumber::Low { is_signed: false }),
        F::Pack4xI8Clamp => (true, 4, PackedNumber::Clamped { is_signed: true }),
        F::Pack4xU8Clamp => (true, 4, PackedNumber::Clamped { is_signed: false }),
        F::Unpack4x8snorm => (false, 4, norm(true, 127)),
        F::Unpack4x8unorm => (false, 4, norm(false, 255)),
        F::Unpack2x16snorm => (false, 2, norm(true, 32767)),
        F::Unpack2x16unorm => (false, 2, norm(false, 65535)),
        F::Unpack2x16float => (false, 2, PackedNumber::Float16),
        F::Unpack4xI8 => (false, 4, PackedNumber::Low { is_signed: true }),
        F::Unpack4xU8 => (false, 4, PackedNumber::Low { is_signed: false }),
        _ => return None,
    })
}

impl Lowering<'_> {
    /// Lowers a pack or unpack function; `None` if `function` is another one.
    pub(in crate::lower) fn packing(
        &mut self,
        function: MathFunction,
        x: &[Scalars],
    ) -> Result<Option<Scalars>> {
        if matches!(
            function,
            MathFunction::Dot4I8Packed | MathFunction::Dot4U8Packed
        ) {
            let is_signed = function == MathFunction::Dot4I8Packed;
            return Ok(Some(self.packed_dot(&x[0][0], &x[1][0], is_signed)));
        }
        let Some((packs, parts, code)) = coded(function) else {
            return Ok(None);
        };
        let of: Vec<&Scalar> = x[0].iter().collect();
        let lanes: Vec<Value> = x[0].iter().map(|scalar| self.lanes(scalar)).collect();
        if !packs {
            let values: Vec<Value> = (0..parts)
                .map(|part| self.unpack(lanes[0], part, parts, code))
                .collect();
            let values = values.into_iter().map(|value| self.result(value, &of));
            return Ok(Some(values.collect()));
        }
        let bits = 32 / parts;
        let mut word = None;
        for (part, &lanes) in lanes.iter().enumerate() {
            let value = self.pack(lanes, code, bits);
            let low = self.splat(u32::MAX >> (32 - bits));
            let value = self.int(WordBinary::And, value, low);
            let value = self.emit(Op::ShlBy((part as u32 * bits) as u8), &[value], Type::Lanes);
            word = Some(match word {
                None => value,
                Some(word) => self.int(WordBinary::Or, word, value),
            });
        }
        let word = word.map(|word| self.result(word, &of));
        Ok(Some(word.into_iter().collect()))
    }

    fn pack(&mut self, x: Value, code: PackedNumber, bits: u32) -> Value {
        match code {
            PackedNumber::Float16 => self.emit(Op::Unary(LaneUnary::ToHalf), &[x], Type::Lanes),
            PackedNumber::Low { .. } => x,
            PackedNumber::Clamped { is_signed: false } => {
                let most = self.splat(u32::MAX >> (32 - bits));
                self.int(WordBinary::MinU, x, most)
            }
            PackedNumber::Clamped { is_signed: true } => {
                let most = 1i32 << (bits - 1);
                let (low, high) = (
                    self.splat((-most).cast_unsigned()),
                    self.splat((most - 1).cast_unsigned()),
                );
                let x = self.int(WordBinary::MaxS, x, low);
                self.int(WordBinary::MinS, x, high)
            }
            PackedNumber::Norm { is_signed, steps } => {
                let (low, one) = (
                    self.float(if is_signed { -1.0 } else { 0.0 }),
                    self.float(1.0),
                );
                let x = self.float_clamp(x, low, one);
                let steps = self.float(steps.into());
                let half = self.float(0.5);
                let near = self.emit(Op::Fma, &[x, steps, half], Type::Lanes);
                let whole = self.emit(Op::Unary(LaneUnary::Floor), &[near], Type::Lanes);
                // The sum may have been rounded up to an integer; then the difference is negative.
                let back = self.binary(LaneBinary::SubF, half, whole);
                let rest = self.emit(Op::Fma, &[x, steps, back], Type::Lanes);
                let zero = self.float(0.0);
                let is_over = self.compare(LaneCompare::LtF, rest, zero);
                let less = self.binary(LaneBinary::SubF, whole, one);
                let whole = self.select(is_over, less, whole);
                self.emit(Op::Unary(LaneUnary::ToS), &[whole], Type::Lanes)
            }
        }
    }

    /// Extracts a part of a word, zero- or sign-extended.
    fn part(&mut self, word: Value, part: u32, parts: u32, is_signed: bool) -> Value {
        let bits = 32 / parts;
        let high = self.emit(
            Op::ShlBy((32 - bits - part * bits) as u8),
            &[word],
            Type::Lanes,
        );
        let by = (32 - bits) as u8;
        let op = if is_signed {
            Op::SarBy(by)
        } else {
            Op::ShrBy(by)
        };
        self.emit(op, &[high], Type::Lanes)
    }

    fn unpack(&mut self, word: Value, part: u32, parts: u32, code: PackedNumber) -> Value {
        match code {
            PackedNumber::Float16 => {
                let bits = self.part(word, part, parts, false);
                self.emit(Op::Unary(LaneUnary::FromHalf), &[bits], Type::Lanes)
            }
            PackedNumber::Low { is_signed } | PackedNumber::Clamped { is_signed } => {
                self.part(word, part, parts, is_signed)
            }
            PackedNumber::Norm { is_signed, steps } => {
                let bits = self.part(word, part, parts, is_signed);
                let number = self.emit(Op::Unary(LaneUnary::FromS), &[bits], Type::Lanes);
                let steps = self.float(steps.into());
                let value = self.binary(LaneBinary::DivF, number, steps);
                if is_signed {
                    let least = self.float(-1.0);
                    self.binary(LaneBinary::MaxF, value, least)
                } else {
                    value
                }
            }
        }
    }

    fn packed_dot(&mut self, a: &Scalar, b: &Scalar, is_signed: bool) -> Scalars {
        let (x, y) = (self.lanes(a), self.lanes(b));
        let mut sum = self.splat(0);
        for part in 0..4 {
            let (x, y) = (
                self.part(x, part, 4, is_signed),
                self.part(y, part, 4, is_signed),
            );
            let product = self.int(WordBinary::Mul, x, y);
            sum = self.int(WordBinary::Add, sum, product);
        }
        Scalars::from_iter([self.result(sum, &[a, b])])
    }

    /// `modf` and `frexp`: the first result of all components, then the second ones.
    pub(in crate::lower) fn split(
        &mut self,
        function: MathFunction,
        x: &[Scalar],
    ) -> Result<Scalars> {
        let (mut firsts, mut seconds) = (Scalars::new(), Scalars::new());
        for scalar in x {
            let lanes = self.lanes(scalar);
            let (first, second) = match function {
                MathFunction::Modf => self.modf(lanes),
                _ => self.frexp(lanes),
            };
            firsts.push(self.result(first, &[scalar]));
            let second = self.result(second, &[scalar]);
            seconds.push(match function {
                MathFunction::Modf => second,
                _ => self.integer_scalar(second),
            });
        }
        firsts.extend(seconds);
        Ok(firsts)
    }

    /// Uniform integers are represented as words.
    fn integer_scalar(&mut self, scalar: Scalar) -> Scalar {
        match scalar {
            Scalar::UniformLanes(_) => self.word(&scalar).map_or(scalar, Scalar::Word),
            other => other,
        }
    }

    fn modf(&mut self, x: Value) -> (Value, Value) {
        let whole = self.emit(Op::Unary(LaneUnary::Trunc), &[x], Type::Lanes);
        let rest = self.binary(LaneBinary::SubF, x, whole);
        let (size_bits, sign_bits) = (self.splat(0x7fff_ffff), self.splat(0x8000_0000));
        let size = self.int(WordBinary::And, x, size_bits);
        let infinity = self.float(f32::INFINITY);
        let is_infinite = self.compare(LaneCompare::Int(WordCompare::Eq), size, infinity);
        let zero = self.splat(0);
        let rest = self.select(is_infinite, zero, rest);
        let rest = self.int(WordBinary::And, rest, size_bits);
        let sign = self.int(WordBinary::And, x, sign_bits);
        (self.int(WordBinary::Or, rest, sign), whole)
    }

    fn frexp(&mut self, x: Value) -> (Value, Value) {
        let size_bits = self.splat(0x7fff_ffff);
        let size = self.int(WordBinary::And, x, size_bits);
        let (zero, infinity) = (self.splat(0), self.float(f32::INFINITY));
        let least = self.float(f32::MIN_POSITIVE);
        let is_tiny = self.compare(LaneCompare::Int(WordCompare::LtU), size, least);
        let factor = self.float(33_554_432.0);
        let larger = self.binary(LaneBinary::MulF, x, factor);
        let y = self.select(is_tiny, larger, x);
        let magnitude = self.int(WordBinary::And, y, size_bits);
        let field = self.emit(Op::ShrBy(23), &[magnitude], Type::Lanes);
        let (normal, tiny) = (self.splat(126), self.splat(126 + 25));
        let bias = self.select(is_tiny, tiny, normal);
        let exponent = self.int(WordBinary::Sub, field, bias);
        let (sign_and_fraction_bits, half) = (self.splat(0x807f_ffff), self.float(0.5));
        let fraction = self.int(WordBinary::And, y, sign_and_fraction_bits);
        let fraction = self.int(WordBinary::Or, fraction, half);
        // Zeros, infinities and NaN are returned unchanged.
        let is_zero = self.compare(LaneCompare::Int(WordCompare::Eq), size, zero);
        let is_finite = self.compare(LaneCompare::Int(WordCompare::LtU), size, infinity);
        let is_plain = self.without(is_finite, is_zero);
        (
            self.select(is_plain, fraction, x),
            self.select(is_plain, exponent, zero),
        )
    }

    /// `x * 2^exponent`, rounded once.
    pub(in crate::lower) fn ldexp(
        &mut self,
        x: &[Scalar],
        exponents: &[Scalar],
    ) -> Result<Scalars> {
        let mut result = Scalars::new();
        for (x, exponent) in x.iter().zip(exponents) {
            let (low, high) = (Scalar::Known((-400i32).cast_unsigned()), Scalar::Known(400));
            let power = self.integer(WordBinary::MaxS, exponent, &low);
            let power = self.integer(WordBinary::MinS, &power, &high);
            let power = self.convert(ScalarType::Sint, naga::ScalarKind::Float, Some(4), &power)?;
            result.push(self.float_binary(LaneBinary::ScaleF, x, &power));
        }
        Ok(result)
    }
}
