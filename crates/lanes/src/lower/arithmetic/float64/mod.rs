//! `f64` arithmetic: a number is two 32-bit values, the low half first.
//!
//! Arithmetic has its own instructions; comparisons and signs are computed on the bits. Functions use the steps of
//! the reference interpreter.

mod convert;
mod parts;

use naga::{BinaryOperator, MathFunction};

use crate::ir::{F64Half, F64Op, Op, Type, Value, WordBinary, WordCompare};

use crate::lower::Lowering;
use crate::lower::arithmetic::number::one;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::layout::ScalarType;

const SIGN: Scalar = Scalar::Known(0x8000_0000);
const SIZE: Scalar = Scalar::Known(0x7fff_ffff);

/// A constant.
fn known(value: f64) -> Scalars {
    let bits = value.to_bits();
    let words = [bits as u32, (bits >> 32) as u32];
    words.map(Scalar::Known).into_iter().collect()
}

impl Lowering<'_> {
    /// Emits an `f64` instruction, once for each half of the result.
    fn double(&mut self, op: F64Op, numbers: &[&[Scalar]]) -> Scalars {
        let of: Vec<&Scalar> = numbers.iter().copied().flatten().collect();
        let operands: Vec<Value> = of.iter().map(|scalar| self.lanes(scalar)).collect();
        let halves = [F64Half::Low, F64Half::High].map(|half| {
            let value = self.emit(Op::F64(op, half), &operands, Type::Lanes);
            self.result(value, &of)
        });
        halves.into_iter().collect()
    }

    pub(in crate::lower) fn operate_double(
        &mut self,
        op: BinaryOperator,
        a: &[Scalar],
        b: &[Scalar],
    ) -> Result<Scalars> {
        use BinaryOperator as B;
        Ok(match op {
            B::Add => self.double(F64Op::Add, &[a, b]),
            B::Subtract => self.double(F64Op::Sub, &[a, b]),
            B::Multiply => self.double(F64Op::Mul, &[a, b]),
            B::Divide => self.double(F64Op::Div, &[a, b]),
            B::Modulo => {
                let quotient = self.double(F64Op::Div, &[a, b]);
                let whole = self.double(F64Op::Trunc, &[&quotient]);
                let product = self.double(F64Op::Mul, &[b, &whole]);
                self.double(F64Op::Sub, &[a, &product])
            }
            B::Equal => one(self.double_equal(a, b)),
            B::NotEqual => {
                let is_equal = self.double_equal(a, b);
                one(self.not(&is_equal))
            }
            B::Less => one(self.double_less(a, b)),
            B::Greater => one(self.double_less(b, a)),
            B::LessEqual => one(self.double_less_equal(a, b)),
            B::GreaterEqual => one(self.double_less_equal(b, a)),
            _ => return unsupported("this operator on floats"),
        })
    }

    /// Negation.
    pub(in crate::lower) fn negate_double(&mut self, a: &[Scalar]) -> Scalars {
        let high = self.bitwise(WordBinary::Xor, &a[1], &SIGN);
        Scalars::from_iter([a[0].clone(), high])
    }

    /// Absolute value.
    fn double_size(&mut self, a: &[Scalar]) -> Scalars {
        let high = self.bitwise(WordBinary::And, &a[1], &SIZE);
        Scalars::from_iter([a[0].clone(), high])
    }

    /// A bitwise operation on the bits of a float, in lanes.
    fn bitwise(&mut self, op: WordBinary, a: &Scalar, b: &Scalar) -> Scalar {
        if let (Scalar::Known(_), Scalar::Known(_)) = (a, b) {
            return self.integer(op, a, b);
        }
        let (x, y) = (self.lanes(a), self.lanes(b));
        let value = self.int(op, x, y);
        self.result(value, &[a, b])
    }

    /// Whether it is NaN.
    fn is_no_number(&mut self, a: &[Scalar]) -> Scalar {
        let size = self.double_size(a);
        self.wide_less(false, &known(f64::INFINITY), &size)
    }

    /// Whether both are zeros of any sign.
    fn are_zeros(&mut self, a: &[Scalar], b: &[Scalar]) -> Scalar {
        let (a, b) = (self.double_size(a), self.double_size(b));
        let low = self.bitwise(WordBinary::Or, &a[0], &b[0]);
        let high = self.bitwise(WordBinary::Or, &a[1], &b[1]);
        let any = self.bitwise(WordBinary::Or, &low, &high);
        self.integer_compare(WordCompare::Eq, &any, &Scalar::ZERO)
    }

    fn are_numbers(&mut self, a: &[Scalar], b: &[Scalar]) -> Scalar {
        let (a, b) = (self.is_no_number(a), self.is_no_number(b));
        let (a, b) = (self.not(&a), self.not(&b));
        self.both(&a, &b)
    }

    fn double_equal(&mut self, a: &[Scalar], b: &[Scalar]) -> Scalar {
        let are_alike = self.wide_equal(a, b);
        let are_zeros = self.are_zeros(a, b);
        let is_equal = self.either(&are_alike, &are_zeros);
        let are_numbers = self.are_numbers(a, b);
        self.both(&is_equal, &are_numbers)
    }

    fn double_less(&mut self, a: &[Scalar], b: &[Scalar]) -> Scalar {
        let (x, y) = (self.in_order(a), self.in_order(b));
        let is_less = self.wide_less(true, &x, &y);
        let are_zeros = self.are_zeros(a, b);
        let differ = self.not(&are_zeros);
        let is_less = self.both(&is_less, &differ);
        let are_numbers = self.are_numbers(a, b);
        self.both(&is_less, &are_numbers)
    }

    fn double_less_equal(&mut self, a: &[Scalar], b: &[Scalar]) -> Scalar {
        let (less, equal) = (self.double_less(a, b), self.double_equal(a, b));
        self.either(&less, &equal)
    }

    /// Maps a float to a signed 64-bit integer with the same order.
    fn in_order(&mut self, a: &[Scalar]) -> Scalars {
        let by = Scalar::Known(31);
        let signs = self.bitwise(WordBinary::ShrS, &a[1], &by);
        let low = self.bitwise(WordBinary::Xor, &a[0], &signs);
        let rest = self.bitwise(WordBinary::And, &signs, &SIZE);
        let high = self.bitwise(WordBinary::Xor, &a[1], &rest);
        Scalars::from_iter([low, high])
    }

    fn double_choose(&mut self, truth: &Scalar, a: &[Scalar], b: &[Scalar]) -> Scalars {
        let each = a.iter().zip(b);
        each.map(|(a, b)| self.choose_by(truth, a, b, ScalarType::Float))
            .collect()
    }

    /// `min`: `a` if that is less or `b` is NaN, otherwise `b`.
    fn double_min(&mut self, a: &[Scalar], b: &[Scalar]) -> Scalars {
        let (is_less, is_none) = (self.double_less(a, b), self.is_no_number(b));
        let is_first = self.either(&is_less, &is_none);
        self.double_choose(&is_first, a, b)
    }

    fn double_max(&mut self, a: &[Scalar], b: &[Scalar]) -> Scalars {
        let (is_less, is_none) = (self.double_less(b, a), self.is_no_number(b));
        let is_first = self.either(&is_less, &is_none);
        self.double_choose(&is_first, a, b)
    }

    fn double_clamp(&mut self, a: &[Scalar], low: &[Scalar], high: &[Scalar]) -> Scalars {
        let above = self.double_max(a, low);
        self.double_min(&above, high)
    }

    /// A function of `f64`, component by component.
    pub(in crate::lower) fn double_function(
        &mut self,
        function: MathFunction,
        a: &[&[Scalar]],
    ) -> Result<Scalars> {
        use F64Op as D;
        use MathFunction as F;
        let (zero, unit) = (known(0.0), known(1.0));
        Ok(match function {
            F::Abs => self.double_size(a[0]),
            F::Min => self.double_min(a[0], a[1]),
            F::Max => self.double_max(a[0], a[1]),
            F::Clamp => self.double_clamp(a[0], a[1], a[2]),
            F::Saturate => self.double_clamp(a[0], &zero, &unit),
            F::Floor => self.double(D::Floor, a),
            F::Ceil => self.double(D::Ceil, a),
            F::Round => self.double(D::Round, a),
            F::Trunc => self.double(D::Trunc, a),
            F::Sqrt => self.double(D::Sqrt, a),
            F::Fma => self.double(D::Fma, a),
            F::InverseSqrt => {
                let root = self.double(D::Sqrt, a);
                self.double(D::Div, &[&unit, &root])
            }
            F::Fract => {
                let whole = self.double(D::Floor, a);
                self.double(D::Sub, &[a[0], &whole])
            }
            F::Radians => {
                let factor = known(std::f64::consts::PI / 180.0);
                self.double(D::Mul, &[a[0], &factor])
            }
            F::Degrees => {
                let factor = known(180.0 / std::f64::consts::PI);
                self.double(D::Mul, &[a[0], &factor])
            }
            F::Sign => {
                let (above, below) = (self.double_less(&zero, a[0]), self.double_less(a[0], &zero));
                let sign = self.double_choose(&above, &unit, &zero);
                self.double_choose(&below, &known(-1.0), &sign)
            }
            F::Step => {
                let is_behind = self.double_less_equal(a[0], a[1]);
                self.double_choose(&is_behind, &unit, &zero)
            }
            F::Mix => {
                let rest = self.double(D::Sub, &[&unit, a[2]]);
                let first = self.double(D::Mul, &[a[0], &rest]);
                let second = self.double(D::Mul, &[a[1], a[2]]);
                self.double(D::Add, &[&first, &second])
            }
            F::SmoothStep => self.double_smooth_step(a[0], a[1], a[2]),
            F::Pow | F::Atan2 => self.f64_host_call(function, a)?,
            F::Cos | F::Sin | F::Tan | F::Acos | F::Asin | F::Atan => {
                self.f64_host_call(function, a)?
            }
            F::Cosh | F::Sinh | F::Tanh | F::Acosh | F::Asinh | F::Atanh => {
                self.f64_host_call(function, a)?
            }
            F::Exp | F::Exp2 | F::Log | F::Log2 => self.f64_host_call(function, a)?,
            _ => return unsupported(format!("`{function:?}` of `f64`")),
        })
    }

    fn double_smooth_step(&mut self, low: &[Scalar], high: &[Scalar], x: &[Scalar]) -> Scalars {
        use F64Op as D;
        let from = self.double(D::Sub, &[x, low]);
        let width = self.double(D::Sub, &[high, low]);
        let t = self.double(D::Div, &[&from, &width]);
        let t = self.double_clamp(&t, &known(0.0), &known(1.0));
        let twice = self.double(D::Mul, &[&known(2.0), &t]);
        let rest = self.double(D::Sub, &[&known(3.0), &twice]);
        let square = self.double(D::Mul, &[&t, &t]);
        self.double(D::Mul, &[&square, &rest])
    }

    /// The square root.
    pub(in crate::lower) fn double_root(&mut self, a: &[Scalar]) -> Scalars {
        self.double(F64Op::Sqrt, &[a])
    }
}
