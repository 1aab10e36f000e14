//! Generates functions: arguments by value and by pointer, results of any type, calls of earlier functions.

use super::generator::{Bools, Generator};
use super::scope::Role;
use super::statements::JumpContext;
use super::tree::{Constness, Function, Parameter, Passing, Statement};

/// The largest number of nodes in a function's tree.
const SIZE: u32 = 140;

impl Generator<'_> {
    /// Adds a function that may use what is in scope now.
    pub(crate) fn make_function(&mut self) {
        let outside = self.scope.len();
        self.size = SIZE;
        self.cost = 1;
        let count = self.random.below(4);
        let parameters: Vec<_> = (0..count).map(|_| self.parameter()).collect();
        let result = (!self.random.one_in(5)).then(|| self.any_type(1, Bools::Allowed));
        let mut body = self.block(6, 2, JumpContext::FUNCTION, result.as_ref());
        // A body that ends in a jump already returns.
        if let Some(result) = &result
            && !matches!(body.last(), Some(Statement::Return(_)))
        {
            self.size = self.size.max(8);
            let value = self.expr(result, 3);
            body.push(Statement::Return(Some(value)));
        }
        self.scope.truncate(outside);
        let cost = self.cost;
        self.functions.push(Function {
            parameters,
            result,
            body,
            cost,
        });
    }

    fn parameter(&mut self) -> Parameter {
        let ty = self.any_type(1, Bools::Allowed);
        let passing = match self.random.below(3) {
            0 => Passing::FunctionPointer,
            1 if self.random.one_in(2) => Passing::PrivatePointer,
            _ => Passing::Value,
        };
        let name = self.name("a");
        match passing {
            Passing::Value => {
                self.declare(&name, ty.clone(), Role::Value(Constness::Runtime));
            }
            _ => self.declare(
                format!("(*{name})"),
                ty.clone(),
                Role::Writable(Some(passing)),
            ),
        }
        Parameter { name, ty, passing }
    }
}
