//! Builds expressions and statements of one naga function.
//!
//! What always holds: every expression that needs it is in an `Emit` before the statement that uses it, and those that
//! must not be are in none; an expression without a name nests to at most [`MAX_NESTING`].

use std::collections::HashMap;

use naga::{
    BinaryOperator, Block, Expression, Handle, Literal, LocalVariable, MathFunction, ScalarKind,
    Span, Statement, Type, UnaryOperator,
};

/// naga's back ends recurse over expressions without a name.
const MAX_NESTING: u32 = 16;

pub(super) type Expr = Handle<Expression>;

/// A naga function that is being built.
#[derive(Default)]
pub(super) struct Writer {
    pub function: naga::Function,
    block: Block,
    /// Expressions from here on are not emitted yet.
    pending: usize,
    /// How deep each expression nests.
    nesting: Vec<u32>,
    literals: HashMap<(u8, u64), Expr>,
    globals: HashMap<Handle<naga::GlobalVariable>, Expr>,
}

impl Writer {
    /// An expression, evaluated here.
    pub(super) fn push(&mut self, expression: Expression) -> Expr {
        let nesting = 1 + self.operand_nesting(&expression);
        let at = self
            .function
            .expressions
            .append(expression, Span::UNDEFINED);
        if nesting > MAX_NESTING {
            self.name(at, format!("t{}", self.nesting.len()));
            self.nesting.push(0);
        } else {
            self.nesting.push(nesting);
        }
        at
    }

    /// An expression that is not evaluated at a place, like a literal, or the result of a statement that follows.
    pub(super) fn push_fixed(&mut self, expression: Expression) -> Expr {
        self.flush();
        let at = self
            .function
            .expressions
            .append(expression, Span::UNDEFINED);
        self.nesting.push(0);
        self.pending = self.function.expressions.len();
        at
    }

    /// Names an expression: back ends write it as a `let`.
    pub(super) fn name(&mut self, expression: Expr, name: String) {
        self.function.named_expressions.insert(expression, name);
        if let Some(nesting) = self.nesting.get_mut(expression.index()) {
            *nesting = 0;
        }
    }

    fn operand_nesting(&self, expression: &Expression) -> u32 {
        let of = |operand: Expr| self.nesting.get(operand.index()).copied().unwrap_or(0);
        match *expression {
            Expression::Access { base, index } => of(base).max(of(index)),
            Expression::AccessIndex { base, .. } => of(base),
            Expression::Unary { expr, .. } | Expression::As { expr, .. } => of(expr),
            Expression::Binary { left, right, .. } => of(left).max(of(right)),
            Expression::Select {
                condition,
                accept,
                reject,
            } => of(condition).max(of(accept)).max(of(reject)),
            Expression::Math { arg, arg1, .. } => of(arg).max(arg1.map_or(0, of)),
            // Back ends give a load a name.
            _ => 0,
        }
    }

    fn flush(&mut self) {
        if self.function.expressions.len() > self.pending {
            let range = self.function.expressions.range_from(self.pending);
            self.block.push(Statement::Emit(range), Span::UNDEFINED);
            self.pending = self.function.expressions.len();
        }
    }

    /// A statement.
    pub(super) fn statement(&mut self, statement: Statement) {
        self.flush();
        self.block.push(statement, Span::UNDEFINED);
    }

    /// Begins a nested block; [`Self::end_block`] gives back what was the block until now.
    pub(super) fn begin_block(&mut self) -> Block {
        self.flush();
        std::mem::take(&mut self.block)
    }

    /// Ends a nested block.
    pub(super) fn end_block(&mut self, outer: Block) -> Block {
        self.flush();
        std::mem::replace(&mut self.block, outer)
    }

    /// The function, whose body is the block.
    pub(super) fn finish(mut self) -> naga::Function {
        self.flush();
        self.function.body = self.block;
        self.function
    }

    /// `if` with statements for the case that the condition holds.
    pub(super) fn when(&mut self, condition: Expr, body: impl FnOnce(&mut Self)) {
        let outer = self.begin_block();
        body(self);
        let accept = self.end_block(outer);
        self.statement(Statement::If {
            condition,
            accept,
            reject: Block::new(),
        });
    }

    fn literal(&mut self, kind: u8, bits: u64, literal: Literal) -> Expr {
        if let Some(&known) = self.literals.get(&(kind, bits)) {
            return known;
        }
        let at = self.push_fixed(Expression::Literal(literal));
        self.literals.insert((kind, bits), at);
        at
    }

    pub(super) fn bool(&mut self, value: bool) -> Expr {
        self.literal(0, value.into(), Literal::Bool(value))
    }

    pub(super) fn u32(&mut self, value: u32) -> Expr {
        self.literal(1, value.into(), Literal::U32(value))
    }

    pub(super) fn i32(&mut self, value: i32) -> Expr {
        self.literal(2, value.cast_unsigned().into(), Literal::I32(value))
    }

    pub(super) fn u64(&mut self, value: u64) -> Expr {
        self.literal(3, value, Literal::U64(value))
    }

    pub(super) fn i64(&mut self, value: i64) -> Expr {
        self.literal(4, value.cast_unsigned(), Literal::I64(value))
    }

    /// A finite number.
    pub(super) fn f32(&mut self, value: f32) -> Expr {
        self.literal(5, value.to_bits().into(), Literal::F32(value))
    }

    /// A finite number.
    pub(super) fn f64(&mut self, value: f64) -> Expr {
        self.literal(6, value.to_bits(), Literal::F64(value))
    }

    pub(super) fn local(&mut self, name: String, ty: Handle<Type>, init: Option<Expr>) -> Expr {
        let variable = LocalVariable {
            name: Some(name),
            ty,
            init,
        };
        let handle = self
            .function
            .local_variables
            .append(variable, Span::UNDEFINED);
        self.push_fixed(Expression::LocalVariable(handle))
    }

    pub(super) fn global(&mut self, variable: Handle<naga::GlobalVariable>) -> Expr {
        if let Some(&known) = self.globals.get(&variable) {
            return known;
        }
        let at = self.push_fixed(Expression::GlobalVariable(variable));
        self.globals.insert(variable, at);
        at
    }

    /// The value of an argument of the function.
    pub(super) fn argument(&mut self, index: u32) -> Expr {
        self.push_fixed(Expression::FunctionArgument(index))
    }

    pub(super) fn unary(&mut self, op: UnaryOperator, expr: Expr) -> Expr {
        self.push(Expression::Unary { op, expr })
    }

    pub(super) fn not(&mut self, expr: Expr) -> Expr {
        self.unary(UnaryOperator::LogicalNot, expr)
    }

    pub(super) fn binary(&mut self, op: BinaryOperator, left: Expr, right: Expr) -> Expr {
        self.push(Expression::Binary { op, left, right })
    }

    pub(super) fn select(&mut self, condition: Expr, accept: Expr, reject: Expr) -> Expr {
        self.push(Expression::Select {
            condition,
            accept,
            reject,
        })
    }

    pub(super) fn math(&mut self, fun: MathFunction, arg: Expr) -> Expr {
        self.push(Expression::Math {
            fun,
            arg,
            arg1: None,
            arg2: None,
            arg3: None,
        })
    }

    /// The same bits as another kind of number of the same size.
    pub(super) fn bitcast(&mut self, expr: Expr, kind: ScalarKind) -> Expr {
        self.push(Expression::As {
            expr,
            kind,
            convert: None,
        })
    }

    pub(super) fn convert(&mut self, expr: Expr, kind: ScalarKind, bytes: u8) -> Expr {
        self.push(Expression::As {
            expr,
            kind,
            convert: Some(bytes),
        })
    }

    pub(super) fn load(&mut self, pointer: Expr) -> Expr {
        self.push(Expression::Load { pointer })
    }

    pub(super) fn store(&mut self, pointer: Expr, value: Expr) {
        self.statement(Statement::Store { pointer, value });
    }

    pub(super) fn access(&mut self, base: Expr, index: Expr) -> Expr {
        self.push(Expression::Access { base, index })
    }

    pub(super) fn member(&mut self, base: Expr, index: u32) -> Expr {
        self.push(Expression::AccessIndex { base, index })
    }
}
