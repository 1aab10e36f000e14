//! The determinant and the inverse of a matrix, by expansion along columns.
//!
//! The reference evaluator computes them in `f64`, whatever the numbers are, and so does this, in the same steps.

use naga::BinaryOperator;

use super::Lowering;
use super::error::Result;
use super::number::Number;
use super::scalar::{Scalar, Scalars};

/// A matrix of doubles: its numbers, column after column.
struct Matrix {
    size: usize,
    numbers: Vec<Scalars>,
}

impl Matrix {
    /// All columns, or all rows, as bits.
    fn all(&self) -> u8 {
        (1 << self.size) - 1
    }
}

impl Lowering<'_> {
    /// The determinant of a matrix of so many columns.
    pub(super) fn determinant(
        &mut self,
        number: Number,
        columns: usize,
        matrix: &[Scalar],
    ) -> Result<Scalars> {
        let matrix = self.doubles(number, columns, matrix);
        let determinant = self.minor(&matrix, matrix.all(), matrix.all())?;
        self.from_double(number, &determinant)
    }

    /// The inverse of a matrix of so many columns, by cofactors.
    pub(super) fn inverse(
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
                // The adjugate is the transposed matrix of cofactors.
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

    /// The determinant of what is left of a matrix, if only some columns and rows are, which are bits.
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

    /// The products of the numbers of two vectors: a matrix with a column for each number of the second.
    pub(super) fn outer_product(
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
