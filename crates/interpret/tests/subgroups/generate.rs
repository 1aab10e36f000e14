//! Random structured programs by seed.

use anywarp_test_support::Random;

use super::program::{Condition, Leave, Number, Of, Operation, Program, Statement};

/// A generator of programs, by seed.
pub(crate) struct Generator(Random);

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.0.below(end as usize) as u32
    }
}

/// The context of a statement, which decides what it may be.
#[derive(Clone, Copy)]
struct StatementContext {
    /// How many constructs may still be nested.
    depth: u32,
    in_loop: bool,
    in_switch: bool,
    in_continuing: bool,
    may_return: bool,
    /// Functions with a smaller index may be called.
    callable: usize,
}

impl Generator {
    pub(crate) fn program(&mut self) -> Program {
        let count = self.below(4) as usize;
        // An invocation that returns early would miss a workgroup barrier.
        let barriers = self.below(2) == 0;
        let mut functions = Vec::new();
        for callable in 0..=count {
            let is_entry = callable == count;
            let context = StatementContext {
                depth: if is_entry { 3 } else { 2 },
                in_loop: false,
                in_switch: false,
                in_continuing: false,
                may_return: !(is_entry && barriers),
                callable,
            };
            let mut body = self.block(context);
            if is_entry && barriers {
                let more = self.block(context);
                body.push(Statement::WorkgroupBarrier);
                body.extend(more);
            }
            body.push(Statement::Operate(self.operation()));
            functions.push(body);
        }
        Program {
            functions,
            workgroup: 1 + self.below(150),
        }
    }

    fn block(&mut self, context: StatementContext) -> Vec<Statement> {
        let mut block = Vec::new();
        for _ in 0..self.below(4) {
            block.push(self.statement(context));
        }
        block
    }

    /// A block that may end with a jump.
    fn branch(&mut self, context: StatementContext) -> Vec<Statement> {
        let mut block = self.block(context);
        if let Some(leave) = self.leave(context) {
            block.push(Statement::Leave(leave));
        }
        block
    }

    fn leave(&mut self, context: StatementContext) -> Option<Leave> {
        match self.below(6) {
            _ if context.in_continuing => None,
            0 if context.in_loop || context.in_switch => Some(Leave::Break),
            1 if context.in_loop => Some(Leave::Continue),
            2 if context.may_return => Some(Leave::Return),
            _ => None,
        }
    }

    fn statement(&mut self, context: StatementContext) -> Statement {
        let inner = StatementContext {
            depth: context.depth.saturating_sub(1),
            ..context
        };
        match self.below(9) {
            0 | 1 if context.depth > 0 => {
                Statement::If(self.condition(), self.branch(inner), self.branch(inner))
            }
            2 if context.depth > 0 => {
                let inner = StatementContext {
                    in_switch: true,
                    ..inner
                };
                let cases = (0..1 + self.below(3)).map(|_| self.branch(inner)).collect();
                Statement::Switch(self.number(7), cases)
            }
            3 | 4 if context.depth > 0 && !context.in_continuing => {
                let inner = StatementContext {
                    in_loop: true,
                    in_switch: false,
                    ..inner
                };
                let continuing = StatementContext {
                    in_continuing: true,
                    ..inner
                };
                Statement::Loop {
                    most: self.number(3),
                    body: self.block(inner),
                    continuing: self.block(continuing),
                    break_if: (self.below(3) == 0).then(|| self.condition()),
                }
            }
            5 if context.callable > 0 => {
                Statement::Call(self.below(context.callable as u32) as usize)
            }
            _ => Statement::Operate(self.operation()),
        }
    }

    fn operation(&mut self) -> Operation {
        match self.below(9) {
            0 | 1 => Operation::Ballot(self.condition()),
            2 => Operation::Add,
            3 => Operation::ExclusiveAdd,
            4 => Operation::Max,
            5 => Operation::First,
            6 => Operation::Xor(self.below(140)),
            7 => Operation::Up(self.below(20)),
            _ => Operation::Barrier,
        }
    }

    fn condition(&mut self) -> Condition {
        let mask = (2 << self.below(4)) - 1;
        Condition(self.number(mask), self.below(mask + 1))
    }

    fn number(&mut self, mask: u32) -> Number {
        Number {
            of: if self.below(2) == 0 {
                Of::Lane
            } else {
                Of::State
            },
            factor: 1 + 2 * self.below(50),
            shift: self.below(7),
            mask,
        }
    }
}
