//! Determinant and inverse of a matrix, by Laplace expansion along columns.
//!
//! Computed in `f64` whatever the component type, in the same steps as in the reference interpreter.

use naga::BinaryOperator;

use crate::lower::Lowering;
use crate::lower::arithmetic::number::Number;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::Result;

/// A square matrix of `f64`, in column-major order.
struct Matrix {
    size: usize,
    numbers: Vec<Scalars>,
}

impl Matrix {
    /// A bit for each column (or row).
    fn all(&self) -> u8 {
        (1 << self.size) - 1
    }
}

impl Lowering<'_> {
    /// The determinant of a square matrix.
    pub(in crate::lower) fn determinant(
        &mut self,
        number: Number,
        columns: usize,
        matrix: &[Scalar],
    ) -> Result<Scalars> {
        let matrix = self.doubles(number, columns, matrix);
        let determinant = self.minor(&matrix, matrix.all(), matrix.all())?;
        self.from_double(number, &determinant)
    }

    /// The inverse of a square matrix, by cofactors.
    pub(in crate::lower) fn inverse(
        &mut self,
        number: Number,
        columns: usize,
        matrix: &[Scalar],
    ) -> Result<Scalars> {
        let matrix = self.doubles(number, columns, matrix);
        let all = matrix.all();
        let determinant = self.minor(&matrix, all, all)?;
        let mut result = Scalars::new();
        for column in 0..columns {
            for row in 0..columns {
                // The adjugate is the transpose of the cofactor matrix.
                let mut cofactor = self.minor(&matrix, all & !(1 << row), all & !(1 << column))?;
                if !(row + column).is_multiple_of(2) {
                    cofactor = self.negate_double(&cofactor);
                }
                let part = self.operate_double(BinaryOperator::Divide, &cofactor, &determinant)?;
                result.extend(self.from_double(number, &part)?);
            }
        }
        Ok(result)
    }

    fn doubles(&mut self, number: Number, size: usize, matrix: &[Scalar]) -> Matrix {
        let mut numbers = Vec::with_capacity(size * size);
        for each in matrix.chunks(number.values()) {
            numbers.push(match number {
                Number::F64 => each.iter().cloned().collect(),
                _ => self.to_double(number, each),
            });
        }
        Matrix { size, numbers }
    }

    /// The determinant of the submatrix with the given columns and rows, which are bit sets.
    fn minor(&mut self, matrix: &Matrix, columns: u8, rows: u8) -> Result<Scalars> {
        let column = columns.trailing_zeros() as usize;
        let others = columns & columns.wrapping_sub(1);
        let mut sum = Scalars::from_iter([Scalar::ZERO, Scalar::ZERO]);
        let left = (0..matrix.size).filter(|row| rows >> row & 1 == 1);
        for (place, row) in left.enumerate() {
            let mut term = matrix.numbers[column * matrix.size + row].clone();
            if others != 0 {
                let rest = self.minor(matrix, others, rows & !(1 << row))?;
                term = self.operate_double(BinaryOperator::Multiply, &term, &rest)?;
            }
            if !place.is_multiple_of(2) {
                term = self.negate_double(&term);
            }
            sum = self.operate_double(BinaryOperator::Add, &sum, &term)?;
        }
        Ok(sum)
    }

    /// The outer product of two vectors: a matrix with one column for each component of `y`.
    pub(in crate::lower) fn outer_product(
        &mut self,
        number: Number,
        x: &[Scalar],
        y: &[Scalar],
    ) -> Result<Scalars> {
        let mut products = Scalars::new();
        for column in y.chunks(number.values()) {
            for row in x.chunks(number.values()) {
                products.extend(self.operate_on(BinaryOperator::Multiply, number, row, column)?);
            }
        }
        Ok(products)
    }
}
