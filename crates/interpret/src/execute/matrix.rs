//! Matrix operations. Matrices are in registers in column-major order.

use super::real::{Float, Real};
use crate::bytecode::Matrix;

/// A matrix of at most 4x4: `[column][row]`.
type Columns<R> = [[R; 4]; 4];

fn read<F: Float>(r: &[u32], first: usize, columns: usize, rows: usize) -> Columns<F::Real> {
    let mut matrix = [[F::Real::ZERO; 4]; 4];
    for (column, values) in matrix.iter_mut().enumerate().take(columns) {
        for (row, value) in values.iter_mut().enumerate().take(rows) {
            *value = F::get(r, first, column * rows + row);
        }
    }
    matrix
}

fn write<F: Float>(
    r: &mut [u32],
    first: usize,
    matrix: &Columns<F::Real>,
    columns: usize,
    rows: usize,
) {
    for (column, values) in matrix.iter().enumerate().take(columns) {
        for (row, value) in values.iter().enumerate().take(rows) {
            F::put(r, first, column * rows + row, *value);
        }
    }
}

/// `left * right`, where `left` has `inner` columns and `right` has `inner` rows.
fn product<R: Real>(
    left: &Columns<R>,
    right: &Columns<R>,
    columns: usize,
    inner: usize,
    rows: usize,
) -> Columns<R> {
    let mut result = [[R::ZERO; 4]; 4];
    for column in 0..columns {
        for row in 0..rows {
            let mut sum = left[0][row] * right[column][0];
            for k in 1..inner {
                sum = sum + left[k][row] * right[column][k];
            }
            result[column][row] = sum;
        }
    }
    result
}

/// The determinant of the matrix without one column and one row, by expansion along a column.
fn minor<R: Real>(m: &Columns<R>, n: usize, skip: Option<(usize, usize)>) -> f64 {
    let keep = |skipped: Option<usize>| (0..n).filter(move |&i| Some(i) != skipped);
    let columns: Vec<usize> = keep(skip.map(|s| s.0)).collect();
    let rows: Vec<usize> = keep(skip.map(|s| s.1)).collect();
    expand(m, &columns, &rows)
}

fn expand<R: Real>(m: &Columns<R>, columns: &[usize], rows: &[usize]) -> f64 {
    let Some((&column, columns)) = columns.split_first() else {
        return 1.0;
    };
    let mut sum = 0.0;
    for (i, &row) in rows.iter().enumerate() {
        let mut others = rows.to_vec();
        others.remove(i);
        let term = m[column][row].into() * expand(m, columns, &others);
        sum += if i % 2 == 0 { term } else { -term };
    }
    sum
}

/// By cofactors in f64; a singular matrix gives infinities or NaN, as a division by zero does.
fn inverse<R: Real>(m: &Columns<R>, n: usize) -> Columns<R> {
    let determinant = minor(m, n, None);
    let mut result = [[R::ZERO; 4]; 4];
    for (column, values) in result.iter_mut().enumerate().take(n) {
        for (row, value) in values.iter_mut().enumerate().take(n) {
            // The adjugate is the transposed matrix of cofactors.
            let cofactor = minor(m, n, Some((row, column)));
            let signed = if (row + column) % 2 == 0 {
                cofactor
            } else {
                -cofactor
            };
            *value = R::of(signed / determinant);
        }
    }
    result
}

pub(super) fn run<F: Float>(
    r: &mut [u32],
    op: Matrix,
    (columns, rows): (u8, u8),
    dst: usize,
    [a, b]: [usize; 2],
) {
    let (columns, rows) = (usize::from(columns), usize::from(rows));
    match op {
        Matrix::TimesVector => {
            let (m, v) = (read::<F>(r, a, columns, rows), read::<F>(r, b, 1, columns));
            write::<F>(r, dst, &product(&m, &v, 1, columns, rows), 1, rows);
        }
        Matrix::VectorTimes => {
            // A row vector is a matrix with one row.
            let (v, m) = (read::<F>(r, a, rows, 1), read::<F>(r, b, columns, rows));
            write::<F>(r, dst, &product(&v, &m, columns, rows, 1), columns, 1);
        }
        Matrix::Product { inner } => {
            let inner = usize::from(inner);
            let (left, right) = (
                read::<F>(r, a, inner, rows),
                read::<F>(r, b, columns, inner),
            );
            let result = product(&left, &right, columns, inner, rows);
            write::<F>(r, dst, &result, columns, rows);
        }
        Matrix::Transpose => {
            let m = read::<F>(r, a, columns, rows);
            let transposed = std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]));
            write::<F>(r, dst, &transposed, rows, columns);
        }
        Matrix::Outer => {
            let (x, y) = (read::<F>(r, a, 1, rows)[0], read::<F>(r, b, 1, columns)[0]);
            let result = std::array::from_fn(|column| x.map(|x| x * y[column]));
            write::<F>(r, dst, &result, columns, rows);
        }
        Matrix::Determinant => {
            let m = read::<F>(r, a, columns, rows);
            F::put(r, dst, 0, F::Real::of(minor(&m, columns, None)));
        }
        Matrix::Inverse => {
            let m = read::<F>(r, a, columns, rows);
            write::<F>(r, dst, &inverse(&m, columns), columns, rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::number;
    use super::super::real::{F16, F32, F64};
    use super::*;
    use crate::bytecode::Number;

    /// Runs an operation on a 2x2 matrix, followed by a second operand.
    fn run_on<F: Float>(of: Number, op: Matrix, operands: [f64; 8]) -> [f64; 4] {
        let words = of.words() as usize;
        let mut r = vec![0; 12 * words];
        for (i, operand) in operands.into_iter().enumerate() {
            number::put_float(&mut r, of, 0, i, operand);
        }
        run::<F>(&mut r, op, (2, 2), 8 * words, [0, 4 * words]);
        std::array::from_fn(|i| number::float(&r, of, 8 * words, i))
    }

    /// WGSL has no such functions, but other languages that become naga modules do.
    #[test]
    fn inverse_and_outer_product_of_every_width() {
        let matrix = [4.0, 2.0, 6.0, 4.0, 3.0, 5.0, 0.0, 0.0];
        let inverse = [1.0, -0.5, -1.5, 1.0];
        assert_eq!(run_on::<F16>(Number::F16, Matrix::Inverse, matrix), inverse);
        assert_eq!(run_on::<F32>(Number::F32, Matrix::Inverse, matrix), inverse);
        assert_eq!(run_on::<F64>(Number::F64, Matrix::Inverse, matrix), inverse);
        let outer = [12.0, 6.0, 20.0, 10.0];
        assert_eq!(run_on::<F16>(Number::F16, Matrix::Outer, matrix), outer);
        assert_eq!(run_on::<F64>(Number::F64, Matrix::Outer, matrix), outer);
    }
}
