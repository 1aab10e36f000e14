//! Behavior analysis, as in the WGSL specification; naga does not perform it.
//!
//! In: a function's body. Out: whether its end is reachable, and the loops without an exit, to which the writer adds
//! `break if false`. `discard` counts as an ordinary statement.

use std::collections::HashSet;

use anywarp_program::naga::{Block, Statement};

/// The behavior of a statement: how control flow leaves it.
#[derive(Clone, Copy, Default)]
struct Behavior {
    next: bool,
    breaks: bool,
    returns: bool,
}

impl Behavior {
    fn or(self, other: Self) -> Self {
        Self {
            next: self.next || other.next,
            breaks: self.breaks || other.breaks,
            returns: self.returns || other.returns,
        }
    }
}

/// The result of the analysis of a function body.
#[derive(Debug, Default)]
pub(super) struct FunctionBehavior {
    pub(super) reaches_end: bool,
    endless: HashSet<usize>,
}

impl FunctionBehavior {
    pub(super) fn new(body: &Block) -> Self {
        let mut flow = Self::default();
        flow.reaches_end = flow.block(body).next;
        flow
    }

    /// Whether a loop has no exit; the key is its body.
    pub(super) fn is_endless(&self, body: &Block) -> bool {
        self.endless.contains(&identity(body))
    }

    fn block(&mut self, block: &Block) -> Behavior {
        let mut behavior = Behavior {
            next: true,
            ..Behavior::default()
        };
        for statement in block.iter() {
            let reached = behavior.next;
            let own = self.statement(statement);
            if reached {
                behavior.next = false;
                behavior = behavior.or(own);
            }
        }
        behavior
    }

    fn statement(&mut self, statement: &Statement) -> Behavior {
        match statement {
            Statement::Block(block) => self.block(block),
            Statement::If { accept, reject, .. } => {
                let accept = self.block(accept);
                accept.or(self.block(reject))
            }
            Statement::Switch { cases, .. } => {
                let mut behavior = Behavior::default();
                for case in cases {
                    let own = self.block(&case.body);
                    // A fallthrough case continues in the next case, whose behavior counts.
                    let next = own.next && !case.fall_through;
                    behavior = behavior.or(Behavior { next, ..own });
                }
                behavior.next |= behavior.breaks;
                behavior.breaks = false;
                behavior
            }
            Statement::Loop {
                body,
                continuing,
                break_if,
            } => {
                let inside = self.block(body).or(self.block(continuing));
                let leaves = inside.breaks || break_if.is_some();
                if !leaves && !inside.returns {
                    self.endless.insert(identity(body));
                }
                Behavior {
                    next: leaves || !inside.returns,
                    breaks: false,
                    returns: inside.returns,
                }
            }
            Statement::Break => Behavior {
                breaks: true,
                ..Behavior::default()
            },
            Statement::Continue => Behavior::default(),
            Statement::Return { .. } => Behavior {
                returns: true,
                ..Behavior::default()
            },
            _ => Behavior {
                next: true,
                ..Behavior::default()
            },
        }
    }
}

/// A block is identified by its address, which is stable while it is written.
pub(super) fn identity(block: &Block) -> usize {
    std::ptr::from_ref(block).addr()
}
