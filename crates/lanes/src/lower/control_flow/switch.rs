//! Lowers `switch`: branches if the selector is uniform and no lane leaves early, masks otherwise (`predication`).
//!
//! A few cases are compared one after another; among many, binary search finds the target.

use naga::{Expression, Handle, Statement, SwitchCase, SwitchValue};

use crate::ir::{BlockId, Edge, Terminator, Value, WordCompare};

use crate::lower::arithmetic::scalar::Scalar;
use crate::lower::error::Result;
use crate::lower::memory::variables::{Representation, Slot};
use crate::lower::{Flow, Lowering, Scope};

/// Up to this number of cases, values are compared one after another.
pub(super) const MAX_COMPARED_CASES: usize = 16;

/// A case of a uniform switch.
struct Target {
    value: u32,
    block: BlockId,
}

/// The value of a case; `None` for the default.
pub(super) fn value(case: &SwitchCase) -> Option<u32> {
    match case.value {
        SwitchValue::I32(value) => Some(value.cast_unsigned()),
        SwitchValue::U32(value) => Some(value),
        SwitchValue::Default => None,
    }
}

/// The cases that have a value, given the block of each case; sorted by value if there are many.
fn targets(cases: &[SwitchCase], heads: &[BlockId]) -> Vec<Target> {
    let mut targets: Vec<_> = cases
        .iter()
        .zip(heads)
        .filter_map(|(case, block)| {
            let (value, block) = (value(case)?, *block);
            Some(Target { value, block })
        })
        .collect();
    if targets.len() > MAX_COMPARED_CASES {
        targets.sort_unstable_by_key(|target| target.value);
    }
    targets
}

impl<'a> Lowering<'a> {
    pub(in crate::lower) fn switch(
        &mut self,
        statement: &'a Statement,
        selector: Handle<Expression>,
        cases: &'a [SwitchCase],
    ) -> Result<Flow> {
        let selector = self.scalar(selector)?;
        let is_divergent = self.call().analysis.is_divergent(statement);
        if selector.is_uniform() && !is_divergent {
            self.uniform_switch(statement, &selector, cases)
        } else {
            self.predicated_switch(statement, &selector, cases)
        }
    }

    /// Whether a case is selected by its own value.
    pub(super) fn is_selected(&mut self, selector: &Scalar, case: &SwitchCase) -> Option<Scalar> {
        let value = value(case)?;
        Some(self.integer_compare(WordCompare::Eq, selector, &Scalar::Known(value)))
    }

    fn uniform_switch(
        &mut self,
        statement: &'a Statement,
        selector: &Scalar,
        cases: &'a [SwitchCase],
    ) -> Result<Flow> {
        let analysis = self.call().analysis.clone();
        let after = &analysis.liveness.of_statement(statement).after;
        let bodies: Vec<&naga::Block> = cases.iter().map(|case| &case.body).collect();
        let assigned = self.assigned(&bodies);
        let results = self.carried(&assigned, |lowering, id| lowering.is_read_later(id, after));
        // Empty cases that fall through pass on the state from before the switch.
        let falls = |case: &SwitchCase| case.fall_through && !case.body.is_empty();
        let through = if cases.iter().any(falls) {
            self.carried(&assigned, |_, _| true)
        } else {
            Vec::new()
        };
        let since = self.body.log.len();
        let exit = self.function.add_block();
        let heads: Vec<_> = cases.iter().map(|_| self.function.add_block()).collect();
        // The block parameters of a case: the state before the switch, or at the end of the case that falls
        // through.
        let before = self.arguments(&through)?;
        let to = |place: usize, arguments: &Vec<_>| Edge {
            block: heads[place],
            arguments: arguments.clone(),
        };
        let default = cases.iter().position(|case| value(case).is_none());
        let is_left = default.is_none();
        let other = match default {
            Some(place) => to(place, &before),
            None => Edge {
                block: exit,
                arguments: self.arguments(&results)?,
            },
        };
        let targets = targets(cases, &heads);
        self.dispatch(selector, &targets, &before, &other)?;
        let exec = self.control.exec;
        self.control.scopes.push(Scope::Switch {
            exit,
            results: results.clone(),
            is_left,
        });
        for (place, case) in cases.iter().enumerate() {
            self.control.exec = exec;
            self.begin_case(heads[place], &through);
            let flow = self.statements(&case.body, false)?;
            match case.fall_through && place + 1 < cases.len() {
                _ if flow == Flow::Terminated => {}
                true => {
                    let arguments = self.arguments(&through)?;
                    self.end(Terminator::Jump(to(place + 1, &arguments)));
                }
                false => {
                    self.lower_break()?;
                }
            }
            self.roll_back(since);
        }
        let is_left = match self.control.scopes.pop() {
            Some(Scope::Switch { is_left, .. }) => is_left,
            _ => is_left,
        };
        self.control.block = exit;
        self.control.exec = exec;
        self.parameters(exit, &results);
        self.drop_returned();
        self.drop_continued();
        Ok(Flow::after_exit(is_left))
    }

    /// Begins the block of a case, whose parameters are the state at the end of a case that falls through.
    fn begin_case(&mut self, head: BlockId, through: &[(Slot, Representation)]) {
        self.control.block = head;
        self.parameters(head, through);
        if !through.is_empty() {
            // Lanes that left in the preceding case are not among those that fall through.
            self.drop_returned();
            self.drop_continued();
        }
    }

    /// Branches to the case that the selector matches, or to `other`. Among more than a few cases, a binary search
    /// over the values finds the target, which keeps paths short and the dominator tree shallow.
    fn dispatch(
        &mut self,
        selector: &Scalar,
        targets: &[Target],
        before: &[Value],
        other: &Edge,
    ) -> Result {
        self.work(targets.len())?;
        if targets.len() > MAX_COMPARED_CASES {
            let (below, above) = targets.split_at(targets.len() / 2);
            let middle = Scalar::Known(above[0].value);
            let is_below = self.integer_compare(WordCompare::LtU, selector, &middle);
            let condition = self.condition(&is_below)?;
            let (first, second) = (self.function.add_block(), self.function.add_block());
            self.end(Terminator::Branch(
                condition,
                Edge::to(first),
                Edge::to(second),
            ));
            self.control.block = first;
            self.dispatch(selector, below, before, other)?;
            self.control.block = second;
            return self.dispatch(selector, above, before, other);
        }
        for target in targets {
            let value = Scalar::Known(target.value);
            let is_selected = self.integer_compare(WordCompare::Eq, selector, &value);
            let condition = self.condition(&is_selected)?;
            let next = self.function.add_block();
            let selected = Edge {
                block: target.block,
                arguments: before.to_vec(),
            };
            self.end(Terminator::Branch(condition, selected, Edge::to(next)));
            self.control.block = next;
        }
        self.end(Terminator::Jump(other.clone()));
        Ok(())
    }
}
