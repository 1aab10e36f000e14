//! Builtin functions that are exact or nearly so, in the steps of the reference interpreter; and bit operations.

use naga::MathFunction;

use crate::ir::{
    LaneBinary, LaneCompare, LaneUnary, MaskBinary, Op, Type, Value, WordBinary, WordCompare,
};

use crate::lower::Lowering;
use crate::lower::arithmetic::scalar::Scalar;
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::layout::ScalarType;

/// The sign bit of a float.
const SIGN: u32 = 0x8000_0000;

impl Lowering<'_> {
    /// A function of scalars, component by component.
    pub(in crate::lower) fn componentwise(
        &mut self,
        function: MathFunction,
        kind: ScalarType,
        a: &[Scalar],
    ) -> Result<Scalar> {
        match kind {
            ScalarType::Float => {
                let lanes: Vec<Value> = a.iter().map(|scalar| self.lanes(scalar)).collect();
                // A uniform result must be correct in all lanes, not only in active ones.
                let active = self
                    .control
                    .exec
                    .filter(|_| !a.iter().all(Scalar::is_uniform));
                let value = self.float_function(function, &lanes, active)?;
                Ok(self.result(value, &a.iter().collect::<Vec<_>>()))
            }
            ScalarType::Sint | ScalarType::Uint => self.integer_function(function, kind, a),
            ScalarType::Bool => unsupported("this function of truth values"),
        }
    }

    fn float_function(
        &mut self,
        function: MathFunction,
        x: &[Value],
        active: Option<Value>,
    ) -> Result<Value> {
        use MathFunction as F;
        let op = |op| Op::Unary(op);
        Ok(match function {
            F::Abs => {
                let rest = self.splat(!SIGN);
                self.int(WordBinary::And, x[0], rest)
            }
            F::Min => self.float_extreme(LaneBinary::MinF, x[0], x[1]),
            F::Max => self.float_extreme(LaneBinary::MaxF, x[0], x[1]),
            F::Clamp => self.float_clamp(x[0], x[1], x[2]),
            F::Saturate => {
                let (zero, one) = (self.float(0.0), self.float(1.0));
                self.float_clamp(x[0], zero, one)
            }
            F::Sign => {
                let (zero, one) = (self.float(0.0), self.float(1.0));
                let minus = self.float(-1.0);
                let above = self.compare(LaneCompare::LtF, zero, x[0]);
                let below = self.compare(LaneCompare::LtF, x[0], zero);
                let sign = self.select(above, one, zero);
                self.select(below, minus, sign)
            }
            F::Floor => self.emit(op(LaneUnary::Floor), &[x[0]], Type::Lanes),
            F::Ceil => self.emit(op(LaneUnary::Ceil), &[x[0]], Type::Lanes),
            F::Round => self.emit(op(LaneUnary::Round), &[x[0]], Type::Lanes),
            F::Trunc => self.emit(op(LaneUnary::Trunc), &[x[0]], Type::Lanes),
            F::Sqrt => self.emit(op(LaneUnary::Sqrt), &[x[0]], Type::Lanes),
            F::Fract => {
                let whole = self.emit(op(LaneUnary::Floor), &[x[0]], Type::Lanes);
                self.binary(LaneBinary::SubF, x[0], whole)
            }
            F::Radians => self.times(x[0], std::f32::consts::PI / 180.0),
            F::Degrees => self.times(x[0], 180.0 / std::f32::consts::PI),
            F::Fma => self.emit(Op::Fma, &[x[0], x[1], x[2]], Type::Lanes),
            F::Mix => {
                let one = self.float(1.0);
                let rest = self.binary(LaneBinary::SubF, one, x[2]);
                let first = self.binary(LaneBinary::MulF, x[0], rest);
                let second = self.binary(LaneBinary::MulF, x[1], x[2]);
                self.binary(LaneBinary::AddF, first, second)
            }
            F::Step => {
                let (zero, one) = (self.float(0.0), self.float(1.0));
                let is_behind = self.compare(LaneCompare::LeF, x[0], x[1]);
                self.select(is_behind, one, zero)
            }
            F::SmoothStep => self.smooth_step(x[0], x[1], x[2]),
            F::QuantizeToF16 => {
                let half = self.emit(op(LaneUnary::ToHalf), &[x[0]], Type::Lanes);
                self.emit(op(LaneUnary::FromHalf), &[half], Type::Lanes)
            }
            _ => return self.transcendental(function, x, active),
        })
    }

    fn times(&mut self, x: Value, factor: f32) -> Value {
        let factor = self.float(factor);
        self.binary(LaneBinary::MulF, x, factor)
    }

    pub(in crate::lower) fn float_clamp(&mut self, x: Value, low: Value, high: Value) -> Value {
        let above = self.float_extreme(LaneBinary::MaxF, x, low);
        self.float_extreme(LaneBinary::MinF, above, high)
    }

    fn smooth_step(&mut self, low: Value, high: Value, x: Value) -> Value {
        let from = self.binary(LaneBinary::SubF, x, low);
        let width = self.binary(LaneBinary::SubF, high, low);
        let t = self.binary(LaneBinary::DivF, from, width);
        let (zero, one) = (self.float(0.0), self.float(1.0));
        let t = self.float_clamp(t, zero, one);
        let twice = self.times(t, 2.0);
        let three = self.float(3.0);
        let rest = self.binary(LaneBinary::SubF, three, twice);
        let square = self.binary(LaneBinary::MulF, t, t);
        self.binary(LaneBinary::MulF, square, rest)
    }

    fn integer_function(
        &mut self,
        function: MathFunction,
        kind: ScalarType,
        a: &[Scalar],
    ) -> Result<Scalar> {
        use MathFunction as F;
        let is_signed = kind == ScalarType::Sint;
        let (min, max) = if is_signed {
            (WordBinary::MinS, WordBinary::MaxS)
        } else {
            (WordBinary::MinU, WordBinary::MaxU)
        };
        Ok(match function {
            F::Abs if is_signed => {
                let minus = self.integer(WordBinary::Sub, &Scalar::ZERO, &a[0]);
                // The smallest integer is its own negation.
                self.integer(WordBinary::MaxS, &a[0], &minus)
            }
            F::Abs => a[0].clone(),
            F::Min => self.integer(min, &a[0], &a[1]),
            F::Max => self.integer(max, &a[0], &a[1]),
            F::Clamp => {
                let above = self.integer(max, &a[0], &a[1]);
                self.integer(min, &above, &a[2])
            }
            F::Sign => {
                let least = self.integer(WordBinary::MaxS, &a[0], &Scalar::Known(u32::MAX));
                self.integer(WordBinary::MinS, &least, &Scalar::Known(1))
            }
            F::CountOneBits
            | F::CountLeadingZeros
            | F::CountTrailingZeros
            | F::FirstLeadingBit
            | F::FirstTrailingBit
            | F::ReverseBits
            | F::ExtractBits
            | F::InsertBits => {
                let lanes: Vec<Value> = a.iter().map(|scalar| self.lanes(scalar)).collect();
                let value = self.bits_function(function, is_signed, &lanes)?;
                self.result(value, &a.iter().collect::<Vec<_>>())
            }
            _ => return unsupported(format!("`{function:?}` of integers")),
        })
    }

    fn bits_function(
        &mut self,
        function: MathFunction,
        is_signed: bool,
        x: &[Value],
    ) -> Result<Value> {
        use MathFunction as F;
        let leading = Op::Unary(LaneUnary::LeadingZeros);
        Ok(match function {
            F::CountOneBits => self.emit(Op::Unary(LaneUnary::CountOnes), &[x[0]], Type::Lanes),
            F::CountLeadingZeros => self.emit(leading, &[x[0]], Type::Lanes),
            F::CountTrailingZeros => self.trailing_zeros(x[0]),
            F::FirstTrailingBit => {
                let count = self.trailing_zeros(x[0]);
                self.unless_zero(x[0], count)
            }
            F::FirstLeadingBit => {
                let bits = if is_signed {
                    let signs = self.emit(Op::SarBy(31), &[x[0]], Type::Lanes);
                    self.int(WordBinary::Xor, x[0], signs)
                } else {
                    x[0]
                };
                let zeros = self.emit(leading, &[bits], Type::Lanes);
                let last = self.splat(31);
                let place = self.int(WordBinary::Sub, last, zeros);
                self.unless_zero(bits, place)
            }
            F::ReverseBits => self.reverse_bits(x[0]),
            F::ExtractBits => self.extract_bits(x[0], x[1], x[2], is_signed),
            F::InsertBits => self.insert_bits(x[0], x[1], x[2], x[3]),
            _ => return unsupported("this function of bits"),
        })
    }

    /// Count of trailing zeros; 32 for zero.
    fn trailing_zeros(&mut self, x: Value) -> Value {
        // Exactly the bits below the lowest set bit.
        let one = self.splat(1);
        let less = self.int(WordBinary::Sub, x, one);
        let all = self.splat(u32::MAX);
        let clear = self.int(WordBinary::Xor, x, all);
        let below = self.int(WordBinary::And, less, clear);
        self.emit(Op::Unary(LaneUnary::CountOnes), &[below], Type::Lanes)
    }

    /// `number`, or all ones if `x` is zero.
    fn unless_zero(&mut self, x: Value, number: Value) -> Value {
        let (zero, all) = (self.splat(0), self.splat(u32::MAX));
        let is_zero = self.compare(LaneCompare::Int(WordCompare::Eq), x, zero);
        self.select(is_zero, all, number)
    }

    fn reverse_bits(&mut self, x: Value) -> Value {
        let mut x = x;
        for (by, mask) in [
            (1, 0x5555_5555),
            (2, 0x3333_3333),
            (4, 0x0f0f_0f0f),
            (8, 0x00ff_00ff),
        ] {
            let mask = self.splat(mask);
            let right = self.emit(Op::ShrBy(by), &[x], Type::Lanes);
            let right = self.int(WordBinary::And, right, mask);
            let left = self.int(WordBinary::And, x, mask);
            let left = self.emit(Op::ShlBy(by), &[left], Type::Lanes);
            x = self.int(WordBinary::Or, left, right);
        }
        self.emit(Op::RotateBy(16), &[x], Type::Lanes)
    }

    /// Offset and size of a bit field, clamped to 32 bits.
    fn field(&mut self, offset: Value, count: Value) -> (Value, Value) {
        let all = self.splat(32);
        let offset = self.int(WordBinary::MinU, offset, all);
        let rest = self.int(WordBinary::Sub, all, offset);
        (offset, self.int(WordBinary::MinU, count, rest))
    }

    fn extract_bits(&mut self, x: Value, offset: Value, count: Value, is_signed: bool) -> Value {
        let (offset, count) = self.field(offset, count);
        let (all, zero) = (self.splat(32), self.splat(0));
        let is_none = self.compare(LaneCompare::Int(WordCompare::Eq), count, zero);
        let rest = self.int(WordBinary::Sub, all, count);
        // The shift amount is 32 only if the field is empty.
        let left = self.int(WordBinary::Sub, rest, offset);
        let high = self.int(WordBinary::Shl, x, left);
        let shift = if is_signed {
            WordBinary::ShrS
        } else {
            WordBinary::ShrU
        };
        let field = self.int(shift, high, rest);
        self.select(is_none, zero, field)
    }

    fn insert_bits(&mut self, x: Value, new: Value, offset: Value, count: Value) -> Value {
        let (offset, count) = self.field(offset, count);
        let (all, zero, ones) = (self.splat(32), self.splat(0), self.splat(u32::MAX));
        let is_none = self.compare(LaneCompare::Int(WordCompare::Eq), count, zero);
        let rest = self.int(WordBinary::Sub, all, count);
        let mask = self.int(WordBinary::ShrU, ones, rest);
        let mask = self.int(WordBinary::Shl, mask, offset);
        let new = self.int(WordBinary::Shl, new, offset);
        let new = self.int(WordBinary::And, new, mask);
        let others = self.int(WordBinary::Xor, mask, ones);
        let old = self.int(WordBinary::And, x, others);
        let both = self.int(WordBinary::Or, old, new);
        self.select(is_none, x, both)
    }

    /// Whether all of these truth values hold.
    pub(in crate::lower) fn all_of(&mut self, truths: &[Scalar]) -> Scalar {
        let mut all = Scalar::Known(1);
        for truth in truths {
            all = self.both(&all, truth);
        }
        all
    }

    /// Whether any of these truth values holds.
    pub(in crate::lower) fn any_of(&mut self, truths: &[Scalar]) -> Result<Scalar> {
        let mut any = Scalar::Known(0);
        for truth in truths {
            any = self.operate(
                naga::BinaryOperator::LogicalOr,
                ScalarType::Bool,
                &any,
                truth,
            )?;
        }
        Ok(any)
    }

    /// The lanes of `a` that are not in `b`.
    pub(in crate::lower) fn without(&mut self, a: Value, b: Value) -> Value {
        self.mask_binary(MaskBinary::AndNot, a, b)
    }
}
