//! Random structured programs by seed.

use super::program::{Condition, Leave, Number, Of, Operation, Program, Statement};

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    pub(crate) fn below(&mut self, end: u32) -> u32 {
        (self.next() % u64::from(end)) as u32
    }
}

/// The context of a statement, which decides what it may be.
#[derive(Clone, Copy)]
struct Place {
    /// How many constructs may still be nested.
    depth: u32,
    in_loop: bool,
    in_switch: bool,
    in_continuing: bool,
    may_return: bool,
    /// Functions with a smaller index may be called.
    callable: usize,
}

impl Random {
    pub(crate) fn program(&mut self) -> Program {
        let count = self.below(4) as usize;
        // An invocation that returns early would miss a workgroup barrier.
        let barriers = self.below(2) == 0;
        let mut functions = Vec::new();
        for callable in 0..=count {
            let is_entry = callable == count;
            let place = Place {
                depth: if is_entry { 3 } else { 2 },
                in_loop: false,
                in_switch: false,
                in_continuing: false,
                may_return: !(is_entry && barriers),
                callable,
            };
            let mut body = self.block(place);
            if is_entry && barriers {
                let more = self.block(place);
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

    fn block(&mut self, place: Place) -> Vec<Statement> {
        let mut block = Vec::new();
        for _ in 0..self.below(4) {
            block.push(self.statement(place));
        }
        block
    }

    /// A block that may end with a jump.
    fn branch(&mut self, place: Place) -> Vec<Statement> {
        let mut block = self.block(place);
        if let Some(leave) = self.leave(place) {
            block.push(Statement::Leave(leave));
        }
        block
    }

    fn leave(&mut self, place: Place) -> Option<Leave> {
        match self.below(6) {
            _ if place.in_continuing => None,
            0 if place.in_loop || place.in_switch => Some(Leave::Break),
            1 if place.in_loop => Some(Leave::Continue),
            2 if place.may_return => Some(Leave::Return),
            _ => None,
        }
    }

    fn statement(&mut self, place: Place) -> Statement {
        let inner = Place {
            depth: place.depth.saturating_sub(1),
            ..place
        };
        match self.below(9) {
            0 | 1 if place.depth > 0 => {
                Statement::If(self.condition(), self.branch(inner), self.branch(inner))
            }
            2 if place.depth > 0 => {
                let inner = Place {
                    in_switch: true,
                    ..inner
                };
                let cases = (0..1 + self.below(3)).map(|_| self.branch(inner)).collect();
                Statement::Switch(self.number(7), cases)
            }
            3 | 4 if place.depth > 0 && !place.in_continuing => {
                let inner = Place {
                    in_loop: true,
                    in_switch: false,
                    ..inner
                };
                let continuing = Place {
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
            5 if place.callable > 0 => Statement::Call(self.below(place.callable as u32) as usize),
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
