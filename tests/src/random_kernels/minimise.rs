//! Test-case reduction: shrinks a kernel while a predicate stays true.
//!
//! Pieces are removed one after another, large ones first, until nothing more can be removed: lists of statements and
//! barrier regions; branches are replaced by their bodies; loop counts and workgroup counts are lowered; expressions
//! are replaced by one of their operands or a constant. The predicate must reject invalid kernels, so scopes need no
//! attention here.

use std::time::Instant;

use super::Kernel;
use super::tree::{Expr, Kind, Phase, Statement};
use super::types::Type;

/// The most cases of a switch.
const MAX_CASES: usize = 4;

/// The smallest kernel found that is still interesting; the search ends by the deadline.
pub fn minimise(
    kernel: &Kernel,
    interesting: &mut dyn FnMut(&Kernel) -> bool,
    deadline: Instant,
) -> Kernel {
    let mut search = Search {
        best: kernel.clone(),
        interesting,
        deadline,
    };
    loop {
        let before = search.best.clone();
        search.shrink_grid();
        search.drop_phases();
        search.drop_statements();
        search.unwrap_statements();
        search.drop_cases();
        search.simplify_expressions();
        if search.best == before || search.is_over() {
            return search.best;
        }
    }
}

struct Search<'f> {
    best: Kernel,
    interesting: &'f mut dyn FnMut(&Kernel) -> bool,
    deadline: Instant,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Applies a change if the result is smaller and the predicate still holds.
    fn attempt(&mut self, change: impl FnOnce(&mut Kernel)) -> bool {
        if self.is_over() {
            return false;
        }
        let mut candidate = self.best.clone();
        change(&mut candidate);
        let taken = candidate != self.best && (self.interesting)(&candidate);
        if taken {
            self.best = candidate;
        }
        taken
    }

    fn shrink_grid(&mut self) {
        self.attempt(|kernel| kernel.workgroups = [1; 3]);
        let mut blocks = 0;
        self.best.clone().each_block(&mut |_| blocks += 1);
        for number in 0..blocks {
            self.attempt(|kernel| {
                nth_block(kernel, number, &mut |block| {
                    for statement in block {
                        if let Statement::Loop(inner) = statement {
                            inner.count = 1;
                        }
                    }
                });
            });
        }
    }

    fn drop_phases(&mut self) {
        let mut lists = 0;
        self.best.clone().each_phase_list(&mut |_| lists += 1);
        for number in 0..lists {
            let mut at = 0;
            while let Some(phase) = self.phase(number, at) {
                let edit = |kernel: &mut Kernel, with: Vec<Phase>| {
                    nth_phases(kernel, number, &mut |phases| {
                        phases.splice(at..at + 1, with.clone());
                    });
                };
                let gone = self.attempt(|kernel| edit(kernel, Vec::new()));
                let inner = match &phase {
                    Phase::When(_, inner) | Phase::Repeat(_, _, inner) => inner.clone(),
                    Phase::Body(_) | Phase::UniformLoad(..) => vec![phase.clone()],
                };
                if !gone && !self.attempt(|kernel| edit(kernel, inner)) {
                    at += 1;
                }
            }
        }
    }

    fn phase(&self, list: usize, at: usize) -> Option<Phase> {
        let mut found = None;
        nth_phases(&mut self.best.clone(), list, &mut |phases| {
            found = phases.get(at).cloned();
        });
        found
    }

    /// Removes ranges of statements, halves first.
    fn drop_statements(&mut self) {
        let mut number = 0;
        while let Some(length) = self.block_length(number) {
            let mut size = length;
            while size > 0 {
                let mut at = 0;
                while at < self.block_length(number).unwrap_or(0) {
                    let gone = self.attempt(|kernel| {
                        nth_block(kernel, number, &mut |block| {
                            let end = (at + size).min(block.len());
                            block.drain(at.min(end)..end);
                        });
                    });
                    if !gone {
                        at += size;
                    }
                }
                size /= 2;
            }
            number += 1;
        }
    }

    fn block_length(&self, number: usize) -> Option<usize> {
        let mut length = None;
        nth_block(&mut self.best.clone(), number, &mut |block| {
            length = Some(block.len());
        });
        length
    }

    /// Replaces branches and loops by their contents.
    fn unwrap_statements(&mut self) {
        let mut number = 0;
        while let Some(length) = self.block_length(number) {
            for at in (0..length).rev() {
                for choice in 0..3 {
                    self.attempt(|kernel| {
                        nth_block(kernel, number, &mut |block| {
                            let Some(statement) = block.get_mut(at) else {
                                return;
                            };
                            let mut inner = statement.blocks();
                            if choice < inner.len() {
                                let inner = std::mem::take(inner.swap_remove(choice));
                                block.splice(at..=at, inner);
                            }
                        });
                    });
                }
            }
            number += 1;
        }
    }

    /// Moves cases of a switch to its default.
    fn drop_cases(&mut self) {
        let mut number = 0;
        while let Some(length) = self.block_length(number) {
            for at in 0..length {
                for case in (0..MAX_CASES).rev() {
                    self.attempt(|kernel| {
                        nth_block(kernel, number, &mut |block| {
                            if let Some(Statement::Switch(_, cases)) = block.get_mut(at)
                                && cases.get(case).is_some_and(|case| !case.is_default)
                            {
                                cases.remove(case);
                            }
                        });
                    });
                }
            }
            number += 1;
        }
    }

    /// Replaces expressions by a constant, or by one of their operands.
    fn simplify_expressions(&mut self) {
        let mut number = 0;
        while let Some(expr) = nth_expr(&self.best, number) {
            for choice in simpler(&expr) {
                let done = self.attempt(|kernel| {
                    let mut at = 0;
                    let mut choice = Some(choice);
                    kernel.each_expr(&mut |expr| {
                        if at == number
                            && let Some(choice) = choice.take()
                        {
                            *expr = choice;
                        }
                        at += 1;
                    });
                });
                if done {
                    break;
                }
            }
            number += 1;
        }
    }
}

/// Possible replacements of an expression, simplest first.
fn simpler(expr: &Expr) -> Vec<Expr> {
    if matches!(expr.kind, Kind::Literal(0 | 1) | Kind::Zero) {
        return Vec::new();
    }
    let constant = |kind| Expr::new(expr.ty.clone(), kind);
    let mut choices = match expr.ty {
        Type::Scalar(_) => vec![constant(Kind::Literal(0)), constant(Kind::Literal(1))],
        _ => vec![constant(Kind::Zero)],
    };
    let mut expr = expr.clone();
    let ty = expr.ty.clone();
    let operands = expr.operands().into_iter();
    choices.extend(
        operands
            .filter(|operand| operand.ty == ty)
            .map(|operand| operand.clone()),
    );
    choices
}

fn nth_expr(kernel: &Kernel, number: usize) -> Option<Expr> {
    let (mut at, mut found) = (0, None);
    kernel.clone().each_expr(&mut |expr| {
        if at == number {
            found = Some(expr.clone());
        }
        at += 1;
    });
    found
}

fn nth_block(kernel: &mut Kernel, number: usize, f: &mut dyn FnMut(&mut Vec<Statement>)) {
    let mut at = 0;
    kernel.each_block(&mut |block| {
        if at == number {
            f(block);
        }
        at += 1;
    });
}

fn nth_phases(kernel: &mut Kernel, number: usize, f: &mut dyn FnMut(&mut Vec<Phase>)) {
    let mut at = 0;
    kernel.each_phase_list(&mut |phases| {
        if at == number {
            f(phases);
        }
        at += 1;
    });
}
