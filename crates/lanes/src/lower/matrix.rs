//! Functions of matrices that the reference evaluator computes in more than 32 bits.
//!
//! Vector code has no floats of 64 bits, so that whoever runs it is asked ([`Request`]): the results are the same, bit
//! for bit.

use super::Lowering;
use super::error::{Result, unsupported};
use super::number::Number;
use super::request::{Request, Rows};
use super::scalar::{Scalar, Scalars};
use super::shape::Kind;

impl Lowering<'_> {
    /// The determinant of a matrix of so many columns.
    pub(super) fn determinant(&mut self, columns: usize, matrix: &[Scalar]) -> Result<Scalars> {
        self.ask_of_matrix(Request::Determinant(columns as u8), matrix, 1)
    }

    /// The inverse of a matrix of so many columns.
    pub(super) fn inverse(&mut self, columns: usize, matrix: &[Scalar]) -> Result<Scalars> {
        self.ask_of_matrix(Request::Inverse(columns as u8), matrix, columns * columns)
    }

    fn ask_of_matrix(
        &mut self,
        request: Request,
        matrix: &[Scalar],
        count: usize,
    ) -> Result<Scalars> {
        let mut rows = Rows::new();
        let first = rows.next();
        for number in matrix {
            self.push_row(&mut rows, number);
        }
        self.ask(request, &rows, first, &vec![Kind::Float; count])
    }

    /// The products of the numbers of two vectors: a matrix with a column for each number of the second.
    pub(super) fn outer_product(
        &mut self,
        number: Number,
        x: &[Scalar],
        y: &[Scalar],
    ) -> Result<Scalars> {
        if number == Number::F64 {
            return unsupported("outer products of `f64`");
        }
        let mut products = Scalars::new();
        for column in y {
            for row in x {
                let op = naga::BinaryOperator::Multiply;
                products.push(self.operate(op, Kind::Float, row, column)?);
            }
        }
        Ok(self.rounded(number, products))
    }
}
