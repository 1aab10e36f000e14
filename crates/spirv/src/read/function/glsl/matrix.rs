//! Matrix inverses, which WGSL does not have: one generated function for each matrix type.
//!
//! The inverse is the adjugate divided by the determinant.

use anywarp_program::naga::{
    BinaryOperator as Binary, Expression, Function, FunctionArgument, FunctionResult, Handle,
    MathFunction as Math, Span, Statement, Type, TypeInner, UnaryOperator, VectorSize,
};

use super::{Expr, argument};
use crate::error::Result;
use crate::module::{Id, Instruction};
use crate::read::function::body::Body;

impl Body<'_, '_> {
    pub(super) fn inverse(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let matrix = self.value(argument(instruction, 0)?)?;
        let ty = instruction.result_type()?;
        let size = match self.inner(ty)? {
            TypeInner::Matrix { columns, rows, .. } if columns == rows => columns,
            _ => return Err(instruction.invalid("its result is no square matrix")),
        };
        let function = self.inverse_function(ty, size)?;
        let result = self.add_apart(Expression::CallResult(function));
        self.push(Statement::Call {
            function,
            arguments: vec![matrix],
            result: Some(result),
        });
        Ok(result)
    }

    fn inverse_function(&mut self, ty: Id, size: VectorSize) -> Result<Handle<Function>> {
        let made = self.reader.value_type(ty)?;
        if let Some(known) = self.reader.translated.inverses.get(&made) {
            return Ok(*known);
        }
        let function = Function {
            name: Some("inverse".to_owned()),
            arguments: vec![FunctionArgument {
                name: Some("matrix".to_owned()),
                ty: made,
                binding: None,
            }],
            result: Some(FunctionResult {
                ty: made,
                binding: None,
            }),
            ..Default::default()
        };
        let mut body = Body::new(&mut *self.reader, function);
        let matrix = body.argument(0);
        let value = match size {
            VectorSize::Bi => body.inverse_of_two(ty, made, matrix)?,
            VectorSize::Tri => body.inverse_of_three(ty, made, matrix)?,
            VectorSize::Quad => body.inverse_of_four(ty, made, matrix)?,
        };
        body.push(Statement::Return { value: Some(value) });
        let function = body.end();
        let handle = self
            .reader
            .module
            .functions
            .append(function, Span::UNDEFINED);
        self.reader.translated.inverses.insert(made, handle);
        Ok(handle)
    }

    fn item(&mut self, base: Expr, index: usize) -> Expr {
        self.add(Expression::AccessIndex {
            base,
            index: index as u32,
        })
    }

    fn negated(&mut self, expr: Expr) -> Expr {
        let op = UnaryOperator::Negate;
        self.add(Expression::Unary { op, expr })
    }

    /// A matrix divided by its determinant.
    fn over(&mut self, ty: Id, matrix: Expr, determinant: Expr) -> Result<Expr> {
        // `ty` is a matrix type, so `float` returns a scalar and not a splat.
        let one = self.float(ty, 1.0)?;
        let factor = self.two(Binary::Divide, one, determinant);
        Ok(self.two(Binary::Multiply, matrix, factor))
    }

    fn compose(&mut self, ty: Handle<Type>, components: Vec<Expr>) -> Expr {
        self.add(Expression::Compose { ty, components })
    }

    fn column_type(&mut self, ty: Id, size: VectorSize) -> Result<Handle<Type>> {
        let scalar = self.scalar(ty)?;
        Ok(self.reader.insert_type(TypeInner::Vector { size, scalar }))
    }

    fn inverse_of_two(&mut self, ty: Id, made: Handle<Type>, matrix: Expr) -> Result<Expr> {
        let column = self.column_type(ty, VectorSize::Bi)?;
        let (left, right) = (self.item(matrix, 0), self.item(matrix, 1));
        let (a, b) = (self.item(left, 0), self.item(left, 1));
        let (c, d) = (self.item(right, 0), self.item(right, 1));
        let (minus_b, minus_c) = (self.negated(b), self.negated(c));
        let left = self.compose(column, vec![d, minus_b]);
        let right = self.compose(column, vec![minus_c, a]);
        let adjugate = self.compose(made, vec![left, right]);
        let determinant = self.minor([a, b], [c, d]);
        self.over(ty, adjugate, determinant)
    }

    /// The rows of the adjugate are cross products of two columns.
    fn inverse_of_three(&mut self, ty: Id, made: Handle<Type>, matrix: Expr) -> Result<Expr> {
        let columns = [0, 1, 2].map(|index| self.item(matrix, index));
        let rows = [(1, 2), (2, 0), (0, 1)]
            .map(|(left, right)| self.function_of(Math::Cross, &[columns[left], columns[right]]));
        let determinant = self.function_of(Math::Dot, &[columns[0], rows[0]]);
        let transposed = self.compose(made, rows.to_vec());
        let adjugate = self.function_of(Math::Transpose, &[transposed]);
        self.over(ty, adjugate, determinant)
    }

    /// `a0 * b1 - b0 * a1`.
    fn minor(&mut self, a: [Expr; 2], b: [Expr; 2]) -> Expr {
        let left = self.two(Binary::Multiply, a[0], b[1]);
        let right = self.two(Binary::Multiply, b[0], a[1]);
        self.two(Binary::Subtract, left, right)
    }

    /// By Laplace expansion: products of the 2x2 minors of the first two columns with those of the last two.
    fn inverse_of_four(&mut self, ty: Id, made: Handle<Type>, matrix: Expr) -> Result<Expr> {
        const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        let columns = [0, 1, 2, 3].map(|index| self.item(matrix, index));
        let m = columns.map(|column| [0, 1, 2, 3].map(|index| self.item(column, index)));
        let mut minors = |left: usize, right: usize| {
            PAIRS.map(|(up, down)| {
                self.minor([m[left][up], m[left][down]], [m[right][up], m[right][down]])
            })
        };
        let (first, last) = (minors(0, 1), minors(2, 3));
        // An element of the adjugate is a sum of three products, with alternating signs, of elements of one column and
        // minors of the opposite two columns.
        let mut made_columns = Vec::new();
        let column_type = self.column_type(ty, VectorSize::Quad)?;
        for column in 0..4 {
            let mut elements = Vec::new();
            for row in 0..4 {
                let opposite = if row < 2 { &last } else { &first };
                let from = [1, 0, 3, 2][row];
                elements.push(self.cofactor(&m[from], opposite, column, (row + column) % 2 == 1));
            }
            made_columns.push(self.compose(column_type, elements));
        }
        let adjugate = self.compose(made, made_columns);
        let terms = [(0, 5), (1, 4), (2, 3), (3, 2), (4, 1), (5, 0)]
            .map(|(left, right)| self.two(Binary::Multiply, first[left], last[right]));
        let mut determinant = self.two(Binary::Subtract, terms[0], terms[1]);
        for (term, op) in
            terms[2..]
                .iter()
                .zip([Binary::Add, Binary::Add, Binary::Subtract, Binary::Add])
        {
            determinant = self.two(op, determinant, *term);
        }
        self.over(ty, adjugate, determinant)
    }

    /// A 3x3 minor: from the rows of a column other than `without` and the 2x2 minors of two other columns.
    fn cofactor(
        &mut self,
        column: &[Expr; 4],
        minors: &[Expr; 6],
        without: usize,
        is_negative: bool,
    ) -> Expr {
        let minor = |up: usize, down: usize| match (up, down) {
            (0, 1) => minors[0],
            (0, 2) => minors[1],
            (0, 3) => minors[2],
            (1, 2) => minors[3],
            (1, 3) => minors[4],
            _ => minors[5],
        };
        let rows: Vec<usize> = (0..4).filter(|row| *row != without).collect();
        let first = self.two(Binary::Multiply, column[rows[0]], minor(rows[1], rows[2]));
        let second = self.two(Binary::Multiply, column[rows[1]], minor(rows[0], rows[2]));
        let third = self.two(Binary::Multiply, column[rows[2]], minor(rows[0], rows[1]));
        let sum = self.two(Binary::Subtract, first, second);
        let sum = self.two(Binary::Add, sum, third);
        if is_negative { self.negated(sum) } else { sum }
    }
}
