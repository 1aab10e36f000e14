//! Operations on matrices, which lie in registers column after column.

use crate::code::{Matrix, Reg};

/// A matrix of at most 4x4: `[column][row]`.
type Columns = [[f32; 4]; 4];

fn read(r: &[u32], first: usize, columns: usize, rows: usize) -> Columns {
    let mut matrix = [[0.0; 4]; 4];
    for (column, values) in matrix.iter_mut().enumerate().take(columns) {
        for (row, value) in values.iter_mut().enumerate().take(rows) {
            *value = f32::from_bits(r[first + column * rows + row]);
        }
    }
    matrix
}

fn write(r: &mut [u32], first: usize, matrix: &Columns, columns: usize, rows: usize) {
    for (column, values) in matrix.iter().enumerate().take(columns) {
        for (row, value) in values.iter().enumerate().take(rows) {
            r[first + column * rows + row] = value.to_bits();
        }
    }
}

/// `left * right`, where `left` has `inner` columns and `right` has `inner` rows.
fn product(left: &Columns, right: &Columns, columns: usize, inner: usize, rows: usize) -> Columns {
    let mut result = [[0.0; 4]; 4];
    for column in 0..columns {
        for row in 0..rows {
            let mut sum = left[0][row] * right[column][0];
            for k in 1..inner {
                sum += left[k][row] * right[column][k];
            }
            result[column][row] = sum;
        }
    }
    result
}

/// The determinant of the matrix without one column and one row, by expansion along a column.
fn minor(m: &Columns, n: usize, skip: Option<(usize, usize)>) -> f64 {
    let keep = |skipped: Option<usize>| (0..n).filter(move |&i| Some(i) != skipped);
    let columns: Vec<usize> = keep(skip.map(|s| s.0)).collect();
    let rows: Vec<usize> = keep(skip.map(|s| s.1)).collect();
    expand(m, &columns, &rows)
}

fn expand(m: &Columns, columns: &[usize], rows: &[usize]) -> f64 {
    let Some((&column, columns)) = columns.split_first() else {
        return 1.0;
    };
    let mut sum = 0.0;
    for (i, &row) in rows.iter().enumerate() {
        let mut others = rows.to_vec();
        others.remove(i);
        let term = f64::from(m[column][row]) * expand(m, columns, &others);
        sum += if i % 2 == 0 { term } else { -term };
    }
    sum
}

/// By cofactors in f64; a singular matrix gives infinities or NaN, as a division by zero does.
fn inverse(m: &Columns, n: usize) -> Columns {
    let determinant = minor(m, n, None);
    let mut result = [[0.0; 4]; 4];
    for (column, values) in result.iter_mut().enumerate().take(n) {
        for (row, value) in values.iter_mut().enumerate().take(n) {
            // The adjugate is the transposed matrix of cofactors.
            let cofactor = minor(m, n, Some((row, column)));
            let signed = if (row + column) % 2 == 0 {
                cofactor
            } else {
                -cofactor
            };
            *value = (signed / determinant) as f32;
        }
    }
    result
}

pub(super) fn run(
    r: &mut [u32],
    op: Matrix,
    (columns, rows): (u8, u8),
    dst: usize,
    args: [Reg; 2],
) {
    let (columns, rows) = (usize::from(columns), usize::from(rows));
    let [a, b] = args.map(|reg| reg as usize);
    match op {
        Matrix::TimesVector => {
            let (m, v) = (read(r, a, columns, rows), read(r, b, 1, columns));
            write(r, dst, &product(&m, &v, 1, columns, rows), 1, rows);
        }
        Matrix::VectorTimes => {
            // A row vector is a matrix with one row.
            let (v, m) = (read(r, a, rows, 1), read(r, b, columns, rows));
            write(r, dst, &product(&v, &m, columns, rows, 1), columns, 1);
        }
        Matrix::Product { inner } => {
            let inner = usize::from(inner);
            let (left, right) = (read(r, a, inner, rows), read(r, b, columns, inner));
            let result = product(&left, &right, columns, inner, rows);
            write(r, dst, &result, columns, rows);
        }
        Matrix::Transpose => {
            let m = read(r, a, columns, rows);
            let transposed = std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]));
            write(r, dst, &transposed, rows, columns);
        }
        Matrix::Outer => {
            let (x, y) = (read(r, a, 1, rows)[0], read(r, b, 1, columns)[0]);
            let result = std::array::from_fn(|column| x.map(|x| x * y[column]));
            write(r, dst, &result, columns, rows);
        }
        Matrix::Determinant => {
            let m = read(r, a, columns, rows);
            r[dst] = (minor(&m, columns, None) as f32).to_bits();
        }
        Matrix::Inverse => {
            let m = read(r, a, columns, rows);
            write(r, dst, &inverse(&m, columns), columns, rows);
        }
    }
}
