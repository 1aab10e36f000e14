//! Vector functions (`dot`, `length`, `refract`, ...) and matrix products, in the steps of the reference interpreter.
//!
//! Functions of `f16` are computed in `f32` and rounded at the end.

use naga::{BinaryOperator, MathFunction, UnaryOperator};

use crate::ir::LaneUnary;

use crate::lower::Lowering;
use crate::lower::arithmetic::number::{Number, one};
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::Result;
use crate::lower::memory::layout::ScalarType;

/// A constant.
fn known(number: Number, value: f32) -> Scalars {
    match number {
        Number::F64 => {
            let bits = f64::from(value).to_bits();
            let words = [bits as u32, (bits >> 32) as u32];
            words.map(Scalar::Known).into_iter().collect()
        }
        _ => one(Scalar::Known(value.to_bits())),
    }
}

/// Vectors with components of one type.
struct Vectors {
    number: Number,
}

impl Vectors {
    /// The components of a vector.
    fn of<'v>(&self, vector: &'v [Scalar]) -> std::slice::Chunks<'v, Scalar> {
        vector.chunks(self.number.values())
    }

    fn at<'v>(&self, vector: &'v [Scalar], place: usize) -> &'v [Scalar] {
        let values = self.number.values();
        &vector[place * values..(place + 1) * values]
    }
}

impl Lowering<'_> {
    /// The dot product, summed from the first component to the last.
    pub(in crate::lower) fn dot_of(
        &mut self,
        number: Number,
        a: &[Scalar],
        b: &[Scalar],
    ) -> Result<Scalars> {
        use BinaryOperator as B;
        let computed = computed(number);
        let v = Vectors { number: computed };
        let mut sum: Option<Scalars> = None;
        for (a, b) in v.of(a).zip(v.of(b)) {
            let product = self.operate_on(B::Multiply, computed, a, b)?;
            sum = Some(match sum {
                None => product,
                Some(sum) => self.operate_on(B::Add, computed, &sum, &product)?,
            });
        }
        Ok(self.rounded(number, sum.unwrap_or_default()))
    }

    /// The product of two matrices in column-major order; a vector is a matrix with one column or one row.
    pub(in crate::lower) fn matrix_product(
        &mut self,
        number: Number,
        left: &[Scalar],
        right: &[Scalar],
        [columns, inner, rows]: [usize; 3],
    ) -> Result<Scalars> {
        let v = Vectors { number };
        let mut result = Scalars::new();
        for column in 0..columns {
            for row in 0..rows {
                let a = (0..inner).flat_map(|k| v.at(left, k * rows + row));
                let b = (0..inner).flat_map(|k| v.at(right, column * inner + k));
                let (a, b): (Scalars, Scalars) = (a.cloned().collect(), b.cloned().collect());
                result.extend(self.dot_of(number, &a, &b)?);
            }
        }
        Ok(result)
    }

    /// The transpose.
    pub(in crate::lower) fn transposed(
        &self,
        number: Number,
        matrix: &[Scalar],
        [columns, rows]: [usize; 2],
    ) -> Scalars {
        let v = Vectors { number };
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| column * rows + row));
        places
            .flat_map(|place| v.at(matrix, place))
            .cloned()
            .collect()
    }

    fn root_of(&mut self, number: Number, a: &[Scalar]) -> Scalars {
        match number {
            Number::F64 => self.double_root(a),
            _ => one(self.unary(LaneUnary::Sqrt, &a[0])),
        }
    }

    fn length(&mut self, number: Number, a: &[Scalar]) -> Result<Scalars> {
        if a.len() == number.values() {
            return self.function_of(MathFunction::Abs, number, &[a]);
        }
        let square = self.dot_of(number, a, a)?;
        Ok(self.root_of(number, &square))
    }

    /// Lowers a function of float vectors; `None` if `function` is another one.
    pub(in crate::lower) fn geometric(
        &mut self,
        function: MathFunction,
        number: Number,
        x: &[Scalars],
    ) -> Result<Option<Scalars>> {
        use BinaryOperator as B;
        use MathFunction as F;
        let storage = number;
        let number = computed(number);
        let v = Vectors { number };
        let result = match function {
            F::Length => self.length(number, &x[0])?,
            F::Distance => {
                let between = self.zip(B::Subtract, number, &x[0], &x[1])?;
                self.length(number, &between)?
            }
            F::Normalize => {
                let length = self.length(number, &x[0])?;
                let mut result = Scalars::new();
                for component in v.of(&x[0]) {
                    result.extend(self.operate_on(B::Divide, number, component, &length)?);
                }
                result
            }
            F::Cross => {
                let mut cross = Scalars::new();
                for (i, j) in [(1, 2), (2, 0), (0, 1)] {
                    let of = |place: usize, at: usize| v.at(&x[place], at);
                    let first = self.operate_on(B::Multiply, number, of(0, i), of(1, j))?;
                    let second = self.operate_on(B::Multiply, number, of(0, j), of(1, i))?;
                    cross.extend(self.operate_on(B::Subtract, number, &first, &second)?);
                }
                cross
            }
            F::FaceForward => {
                let dot = self.dot_of(number, &x[1], &x[2])?;
                let faces = self.operate_on(B::Less, number, &dot, &known(number, 0.0))?;
                let mut result = Scalars::new();
                for component in v.of(&x[0]) {
                    let minus = self.negate_number(UnaryOperator::Negate, number, component)?;
                    for (plus, minus) in component.iter().zip(&minus) {
                        result.push(self.choose_by(&faces[0], plus, minus, ScalarType::Float));
                    }
                }
                result
            }
            F::Reflect => {
                let dot = self.dot_of(number, &x[1], &x[0])?;
                let twice = self.operate_on(B::Multiply, number, &known(number, 2.0), &dot)?;
                self.minus_along(number, &x[0], &twice, &x[1])?
            }
            F::Refract => self.refract(number, &x[0], &x[1], &x[2])?,
            _ => return Ok(None),
        };
        Ok(Some(self.rounded(storage, result)))
    }

    fn minus_along(
        &mut self,
        number: Number,
        x: &[Scalar],
        factor: &[Scalar],
        n: &[Scalar],
    ) -> Result<Scalars> {
        use BinaryOperator as B;
        let v = Vectors { number };
        let mut result = Scalars::new();
        for (x, n) in v.of(x).zip(v.of(n)) {
            let along = self.operate_on(B::Multiply, number, factor, n)?;
            result.extend(self.operate_on(B::Subtract, number, x, &along)?);
        }
        Ok(result)
    }

    fn refract(
        &mut self,
        number: Number,
        x: &[Scalar],
        n: &[Scalar],
        eta: &[Scalar],
    ) -> Result<Scalars> {
        use BinaryOperator as B;
        let (zero, unit) = (known(number, 0.0), known(number, 1.0));
        let cosine = self.dot_of(number, n, x)?;
        let square = self.operate_on(B::Multiply, number, &cosine, &cosine)?;
        let sine = self.operate_on(B::Subtract, number, &unit, &square)?;
        let etas = self.operate_on(B::Multiply, number, eta, eta)?;
        let bent = self.operate_on(B::Multiply, number, &etas, &sine)?;
        let k = self.operate_on(B::Subtract, number, &unit, &bent)?;
        let is_none = self.operate_on(B::Less, number, &k, &zero)?;
        let root = self.root_of(number, &k);
        let along = self.operate_on(B::Multiply, number, eta, &cosine)?;
        let along = self.operate_on(B::Add, number, &along, &root)?;
        let mut scaled = Scalars::new();
        for x in x.chunks(number.values()) {
            scaled.extend(self.operate_on(B::Multiply, number, eta, x)?);
        }
        let refracted = self.minus_along(number, &scaled, &along, n)?;
        Ok(refracted
            .iter()
            .map(|scalar| self.choose_by(&is_none[0], &Scalar::ZERO, scalar, ScalarType::Float))
            .collect())
    }

    /// A binary operator, component by component.
    fn zip(
        &mut self,
        op: BinaryOperator,
        number: Number,
        a: &[Scalar],
        b: &[Scalar],
    ) -> Result<Scalars> {
        let v = Vectors { number };
        let mut result = Scalars::new();
        for (a, b) in v.of(a).zip(v.of(b)) {
            result.extend(self.operate_on(op, number, a, b)?);
        }
        Ok(result)
    }
}

/// The type in which functions of numbers of a type are computed.
fn computed(number: Number) -> Number {
    match number {
        Number::F16 => Number::F32,
        _ => number,
    }
}
