//! Functions of square matrices: transpose and determinant.

use crate::types::{Mat2x2f, Mat3x3f, Mat4x4f};

mod sealed {
    pub trait Sealed {}
}

/// A square matrix of f32.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a square matrix of f32")]
pub trait Matrix: Copy + sealed::Sealed {
    /// The number of columns and of rows.
    const COUNT: usize;

    /// Reads one element.
    ///
    /// # Panics
    ///
    /// If `column` or `row` is not below [`COUNT`](Self::COUNT).
    fn element(&self, column: usize, row: usize) -> f32;

    /// The transpose.
    #[must_use]
    fn transposed(&self) -> Self;
}

macro_rules! matrices {
    ($($matrix:ty, $count:literal;)*) => { $(
        impl sealed::Sealed for $matrix {}

        impl Matrix for $matrix {
            const COUNT: usize = $count;

            #[inline]
            fn element(&self, column: usize, row: usize) -> f32 {
                self.to_cols_array_2d()[column][row]
            }

            #[inline]
            fn transposed(&self) -> Self {
                self.transpose()
            }
        }
    )* };
}

matrices! {
    Mat2x2f, 2;
    Mat3x3f, 3;
    Mat4x4f, 4;
}

/// The transpose.
#[inline]
#[must_use]
pub fn transpose<M: Matrix>(matrix: M) -> M {
    matrix.transposed()
}

/// The determinant, computed in f64 and rounded once.
#[inline]
#[must_use]
pub fn determinant<M: Matrix>(matrix: M) -> f32 {
    expand(&matrix, 0, &[0, 1, 2, 3][..M::COUNT]) as f32
}

/// Laplace expansion along a column, over the remaining rows.
fn expand<M: Matrix>(matrix: &M, column: usize, rows: &[usize]) -> f64 {
    if rows.is_empty() {
        return 1.0;
    }
    let mut sum = 0.0;
    for (i, &row) in rows.iter().enumerate() {
        let mut others = [0; 3];
        let left = rows.iter().enumerate().filter(|&(j, _)| j != i);
        for (other, (_, &row)) in others.iter_mut().zip(left) {
            *other = row;
        }
        let minor = expand(matrix, column + 1, &others[..rows.len() - 1]);
        let term = f64::from(matrix.element(column, row)) * minor;
        sum += if i % 2 == 0 { term } else { -term };
    }
    sum
}
