//! `f64`: `modf`, `frexp` and `ldexp`.

use naga::MathFunction;

use crate::ir::{F64Op, WordBinary, WordCompare};

use super::{SIGN, SIZE, known};
use crate::lower::Lowering;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::memory::layout::ScalarType;

impl Lowering<'_> {
    /// `modf` and `frexp`: the first result of all components, then the second ones.
    pub(in crate::lower) fn double_split(
        &mut self,
        function: MathFunction,
        x: &[Scalar],
    ) -> Scalars {
        let (mut firsts, mut seconds) = (Scalars::new(), Scalars::new());
        for number in x.chunks(2) {
            let (first, second) = match function {
                MathFunction::Modf => self.double_modf(number),
                _ => self.double_frexp(number),
            };
            firsts.extend(first);
            seconds.extend(second);
        }
        firsts.extend(seconds);
        firsts
    }

    /// The fractional part, with the sign of the number, and the integer part.
    fn double_modf(&mut self, x: &[Scalar]) -> (Scalars, Scalars) {
        let whole = self.double(F64Op::Trunc, &[x]);
        let rest = self.double(F64Op::Sub, &[x, &whole]);
        let size = self.double_size(x);
        let is_infinite = self.wide_equal(&size, &known(f64::INFINITY));
        let rest = self.double_choose(&is_infinite, &known(0.0), &rest);
        let rest = self.double_size(&rest);
        let sign = self.bitwise(WordBinary::And, &x[1], &SIGN);
        let high = self.bitwise(WordBinary::Or, &rest[1], &sign);
        (Scalars::from_iter([rest[0].clone(), high]), whole)
    }

    /// A fraction in [0.5, 1), and the exponent as a 64-bit integer.
    fn double_frexp(&mut self, x: &[Scalar]) -> (Scalars, Scalars) {
        let size = self.double_size(x);
        let is_tiny = self.integer_compare(WordCompare::LtU, &size[1], &Scalar::Known(1 << 20));
        let larger = self.double(F64Op::Mul, &[x, &known(2f64.powi(54))]);
        let y = self.double_choose(&is_tiny, &larger, x);
        let magnitude = self.integer(WordBinary::And, &y[1], &SIZE);
        let field = self.integer(WordBinary::ShrU, &magnitude, &Scalar::Known(20));
        let (normal, tiny) = (Scalar::Known(1022), Scalar::Known(1022 + 54));
        let bias = self.choose_by(&is_tiny, &tiny, &normal, ScalarType::Uint);
        let exponent = self.integer(WordBinary::Sub, &field, &bias);
        let fraction = self.bitwise(WordBinary::And, &y[1], &Scalar::Known(0x800f_ffff));
        let fraction = self.bitwise(WordBinary::Or, &fraction, &Scalar::Known(0x3fe0_0000));
        let fraction = Scalars::from_iter([y[0].clone(), fraction]);
        // Zeros, infinities and NaN are returned unchanged.
        let is_finite = self.wide_less(false, &size, &known(f64::INFINITY));
        let is_zero = self.wide_equal(&size, &known(0.0));
        let differs = self.not(&is_zero);
        let is_plain = self.both(&is_finite, &differs);
        let exponent = self.choose_by(&is_plain, &exponent, &Scalar::ZERO, ScalarType::Uint);
        let sign = self.integer(WordBinary::ShrS, &exponent, &Scalar::Known(31));
        let fraction = self.double_choose(&is_plain, &fraction, x);
        (fraction, Scalars::from_iter([exponent, sign]))
    }

    /// `x * 2^exponent`, rounded once.
    ///
    /// An exponent outside the range of normal numbers is applied in several steps. Downward steps leave enough
    /// bits that only the last one rounds.
    pub(in crate::lower) fn double_ldexp(&mut self, x: &[Scalar], exponents: &[Scalar]) -> Scalars {
        let mut result = Scalars::new();
        for (x, exponent) in x.chunks(2).zip(exponents) {
            let mut x: Scalars = x.iter().cloned().collect();
            let mut rest = exponent.clone();
            for (limit, is_up) in [(1023i32, true), (-1022, false)] {
                let step = if is_up { 1023 } else { -969 };
                let limit = Scalar::Known(limit.cast_unsigned());
                for _ in 0..2 {
                    let is_far = if is_up {
                        self.integer_compare(WordCompare::LtS, &limit, &rest)
                    } else {
                        self.integer_compare(WordCompare::LtS, &rest, &limit)
                    };
                    let moved = self.double(F64Op::Mul, &[&x, &known(2f64.powi(step))]);
                    x = self.double_choose(&is_far, &moved, &x);
                    let step = Scalar::Known(step.cast_unsigned());
                    let less = self.integer(WordBinary::Sub, &rest, &step);
                    rest = self.choose_by(&is_far, &less, &rest, ScalarType::Uint);
                }
                let op = if is_up {
                    WordBinary::MinS
                } else {
                    WordBinary::MaxS
                };
                rest = self.integer(op, &rest, &limit);
            }
            let power = self.add(&rest, &Scalar::Known(1023));
            let power = self.integer(WordBinary::Shl, &power, &Scalar::Known(20));
            let power = Scalars::from_iter([Scalar::ZERO, power]);
            result.extend(self.double(F64Op::Mul, &[&x, &power]));
        }
        result
    }
}
