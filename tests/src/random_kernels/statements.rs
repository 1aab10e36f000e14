//! Generates statements: declarations, assignments, branches, terminating loops, jumps, calls, atomics.

use super::generator::{Bools, Generator, MAX_COST};
use super::scope::{Role, Variable};
use super::tree::{
    Block, Case, Constness, Expr, Kind, Loop, LoopForm, Passing, Reference, Statement,
};
use super::types::{Scalar, Type};

/// Which jumps are valid at a point of the code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JumpContext {
    in_loop: bool,
    in_switch: bool,
    may_return: bool,
}

impl JumpContext {
    /// The outermost block of a function.
    pub(crate) const FUNCTION: Self = Self {
        in_loop: false,
        in_switch: false,
        may_return: true,
    };
}

const INTEGER_ASSIGNMENTS: [&str; 10] =
    ["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];

impl Generator<'_> {
    /// Statements in a scope of their own.
    pub(crate) fn block(
        &mut self,
        most: usize,
        depth: u32,
        context: JumpContext,
        result: Option<&Type>,
    ) -> Block {
        let outside = self.scope.len();
        let mut block = Vec::new();
        for _ in 0..self.random.between(most / 2, most) {
            if self.size > 0 && self.cost + self.times <= MAX_COST {
                self.cost += self.times;
                block.extend(self.statement(depth, context, result));
            }
        }
        // Nothing may follow a jump.
        if depth < 2 && self.random.one_in(8) {
            block.extend(self.jump(context, result));
        }
        self.scope.truncate(outside);
        block
    }

    fn statement(
        &mut self,
        depth: u32,
        context: JumpContext,
        result: Option<&Type>,
    ) -> Option<Statement> {
        match self.random.below(if depth == 0 { 14 } else { 25 }) {
            0 => Some(self.new_let()),
            1 if self.random.one_in(2) => self.new_pointer(),
            1 => Some(self.new_var()),
            2 if !self.stores.is_empty() && self.random.one_in(2) => self.store(),
            2 => self.atomic(),
            3 => self.call_statement(),
            4 => self.step(),
            5 | 6 => self.integer_assignment(),
            7..=11 => self.assignment(),
            12 | 13 => self.conditional_jump(context, result),
            14..=17 => Some(self.branch(depth - 1, context, result)),
            18 | 19 => Some(self.switch(depth - 1, context, result)),
            20 => Some(Statement::Block(self.block(3, depth - 1, context, result))),
            21 => self.overwrite(depth - 1, context, result),
            _ => Some(self.repeat(depth - 1, context, result)),
        }
    }

    fn new_let(&mut self) -> Statement {
        let ty = self.any_type(1, Bools::Allowed);
        let value = self.expr(&ty, 3);
        let name = self.name("l");
        self.declare(&name, ty, Role::Value(Constness::Runtime));
        Statement::Let(name, value)
    }

    pub(crate) fn new_var(&mut self) -> Statement {
        let ty = self.any_type(2, Bools::Allowed);
        let value = (!self.random.one_in(5)).then(|| self.expr(&ty, 2));
        let name = self.name("v");
        self.declare(
            &name,
            ty.clone(),
            Role::Writable(Some(Passing::FunctionPointer)),
        );
        Statement::Var(name, ty, value)
    }

    /// A pointer to a part of a variable; its indices are evaluated once.
    fn new_pointer(&mut self) -> Option<Statement> {
        let ty = self.any_type(1, Bools::Allowed);
        // It might be a component of a vector, for which there are no pointers.
        if matches!(ty, Type::Scalar(_)) {
            return None;
        }
        let place = self.target(&ty)?;
        let name = self.name("q");
        self.declare(format!("(*{name})"), ty, Role::Writable(None));
        Some(Statement::Pointer(name, place))
    }

    fn assignment(&mut self) -> Option<Statement> {
        let writable: Vec<_> = self
            .scope
            .iter()
            .filter(|v| v.is_writable())
            .cloned()
            .collect();
        if writable.is_empty() {
            return None;
        }
        // Whole variables, or parts of any type.
        let ty = if self.random.one_in(4) {
            self.random.pick(&writable).ty.clone()
        } else {
            self.any_type(0, Bools::Allowed)
        };
        let target = self.target(&ty)?;
        Some(Statement::Assign(target, "=", self.expr(&ty, 3)))
    }

    fn integer_assignment(&mut self) -> Option<Statement> {
        let scalar = *self.random.pick(&[Scalar::I32, Scalar::U32]);
        let width = *self.random.pick(&[1, 1, 2, 3, 4]);
        let ty = Type::wide(scalar, width);
        let operator = *self.random.pick(&INTEGER_ASSIGNMENTS);
        let target = self.target(&ty)?;
        let operand = match operator {
            "<<=" | ">>=" => Type::wide(Scalar::U32, width),
            _ => ty,
        };
        Some(Statement::Assign(target, operator, self.expr(&operand, 2)))
    }

    fn step(&mut self) -> Option<Statement> {
        let scalar = *self.random.pick(&[Scalar::I32, Scalar::U32]);
        let target = self.target(&Type::Scalar(scalar))?;
        let operator = *self.random.pick(&["++", "--"]);
        Some(Statement::Step(target, operator))
    }

    /// An atomic operation that commutes with all others on its place: each place has one operation.
    fn atomic(&mut self) -> Option<Statement> {
        if self.atomics.is_empty() {
            return None;
        }
        let (place, operation) = self.random.pick(&self.atomics).clone();
        let operand = self.expr(&place.ty, 2);
        Some(Statement::Atomic(operation, place, operand))
    }

    fn call_statement(&mut self) -> Option<Statement> {
        let all: Vec<usize> = (0..self.functions.len()).collect();
        let (index, arguments) = self.call_of(&all, 2)?;
        let Some(result) = self.functions[index].result.clone() else {
            return Some(Statement::Call(index, arguments));
        };
        let call = Expr::new(result, Kind::Call(index, arguments));
        Some(Statement::Phony(call))
    }

    fn condition(&mut self) -> Expr {
        self.expr(&Type::Scalar(Scalar::Bool), 3)
    }

    fn branch(&mut self, depth: u32, context: JumpContext, result: Option<&Type>) -> Statement {
        let condition = self.condition();
        let then = self.block(4, depth, context, result);
        let otherwise = if self.random.one_in(2) {
            self.block(3, depth, context, result)
        } else {
            Vec::new()
        };
        Statement::If(condition, then, otherwise)
    }

    fn switch(&mut self, depth: u32, context: JumpContext, result: Option<&Type>) -> Statement {
        let scalar = *self.random.pick(&[Scalar::I32, Scalar::U32]);
        let ty = Type::Scalar(scalar);
        let value = self.expr(&ty, 2);
        let count = self.random.between(1, 4);
        // Small, so that the cases match.
        let ceiling = Expr::new(ty.clone(), Kind::Literal(count as i64 + 1));
        let small = Kind::Binary("%", Box::new(value), Box::new(ceiling));
        let context = JumpContext {
            in_switch: true,
            ..context
        };
        let default = self.random.below(count);
        let mut next = 0;
        let cases = (0..count).map(|index| {
            let values = (0..self.random.between(1, 2)).map(|_| {
                next += 1;
                next - 1
            });
            Case {
                values: values.collect(),
                is_default: index == default,
                body: self.block(3, depth, context, result),
            }
        });
        let mut cases: Vec<Case> = cases.collect();
        if self.random.one_in(2) {
            cases[default].values.clear();
        }
        Statement::Switch(Expr::new(ty, small), cases)
    }

    fn repeat(&mut self, depth: u32, context: JumpContext, result: Option<&Type>) -> Statement {
        self.repeat_behind(Vec::new(), depth, context, result, |_, _| None)
    }

    /// A loop that assigns a variable a new uniform value in every iteration, before some invocations leave the loop:
    /// the value after the loop shows whether the execution mask of the store was right.
    fn overwrite(
        &mut self,
        depth: u32,
        context: JumpContext,
        result: Option<&Type>,
    ) -> Option<Statement> {
        let ty = self.any_type(0, Bools::Allowed);
        let target = self.target(&ty)?;
        let jump = |this: &mut Self, inside| this.conditional_jump(inside, result);
        Some(self.repeat_behind(vec![(target, ty)], depth, context, result, jump))
    }

    /// A loop whose body begins with assignments to some places, computed from the loop counter alone, and then a
    /// jump.
    fn repeat_behind(
        &mut self,
        overwritten: Vec<(Reference, Type)>,
        depth: u32,
        context: JumpContext,
        result: Option<&Type>,
        jump: impl FnOnce(&mut Self, JumpContext) -> Option<Statement>,
    ) -> Statement {
        let count = self.random.between(1, 5) as u32;
        let form = *self.random.pick(&[
            LoopForm::For,
            LoopForm::CountDown,
            LoopForm::While,
            LoopForm::BreakIf,
            LoopForm::Continuing,
            LoopForm::Strided,
        ]);
        // Functions do not know the number of the invocation.
        let is_entry = self.scope.iter().any(|variable| variable.root == "lid");
        let form = match form {
            LoopForm::Strided if !is_entry => LoopForm::For,
            form => form,
        };
        let counter = self.name("k");
        let number = match form {
            LoopForm::CountDown => Scalar::I32,
            _ => Scalar::U32,
        };
        let (outside, times) = (self.scope.len(), self.times);
        self.times *= count;
        self.declare(&counter, Type::Scalar(number), Role::ReadOnly);
        let inside = JumpContext {
            in_loop: true,
            in_switch: false,
            ..context
        };
        let mut body = Block::new();
        for (place, ty) in overwritten {
            let value = self.expr_of(&counter, number, &ty);
            body.push(Statement::Assign(place, "=", value));
        }
        body.extend(jump(self, inside));
        body.extend(self.block(5, depth, inside, result));
        let continuing = match form {
            LoopForm::BreakIf | LoopForm::Continuing if self.random.one_in(2) => {
                self.block(2, 0, JumpContext::default(), None)
            }
            _ => Vec::new(),
        };
        self.scope.truncate(outside);
        self.times = times;
        Statement::Loop(Loop {
            form,
            counter,
            count,
            body,
            continuing,
        })
    }

    /// An expression of a type made of one named number only.
    fn expr_of(&mut self, name: &str, number: Scalar, ty: &Type) -> Expr {
        let only = Variable::new(name, Type::Scalar(number), Role::ReadOnly);
        let scope = std::mem::replace(&mut self.scope, vec![only]);
        let may_call = std::mem::replace(&mut self.may_call, false);
        let value = self.expr(ty, 3);
        self.may_call = may_call;
        self.scope = scope;
        value
    }

    /// One of the valid jumps.
    fn jump(&mut self, context: JumpContext, result: Option<&Type>) -> Option<Statement> {
        let mut jumps = Vec::new();
        if context.in_loop || context.in_switch {
            jumps.push(Statement::Break);
        }
        if context.in_loop {
            jumps.push(Statement::Continue);
        }
        if context.may_return {
            let value = result.map(|ty| self.expr(ty, 2));
            jumps.push(Statement::Return(value));
        }
        (!jumps.is_empty()).then(|| self.random.pick(&jumps).clone())
    }

    fn conditional_jump(
        &mut self,
        context: JumpContext,
        result: Option<&Type>,
    ) -> Option<Statement> {
        let jump = self.jump(context, result)?;
        Some(Statement::If(self.condition(), vec![jump], Vec::new()))
    }
}
