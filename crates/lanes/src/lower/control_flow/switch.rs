//! Lowers `switch`: branches if the selector is uniform and no lane leaves early, masks otherwise.
//!
//! A few cases are compared one after another; among many, binary search finds the target.

use naga::{Expression, Handle, Statement, SwitchCase, SwitchValue};

use crate::ir::{BlockId, Edge, MaskBinary, Terminator, Value, WordCompare};

use crate::lower::arithmetic::scalar::Scalar;
use crate::lower::error::Result;
use crate::lower::{Flow, Lowering, Scope};

/// Up to this number of cases, values are compared one after another.
const MAX_COMPARED_CASES: usize = 16;

/// A case of a uniform switch.
struct Target {
    value: u32,
    block: BlockId,
}

/// The value of a case; `None` for the default.
fn value(case: &SwitchCase) -> Option<u32> {
    match case.value {
        SwitchValue::I32(value) => Some(value.cast_unsigned()),
        SwitchValue::U32(value) => Some(value),
        SwitchValue::Default => None,
    }
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
            self.jumping_switch(statement, &selector, cases)
        } else {
            self.masked_switch(statement, &selector, cases)
        }
    }

    /// Whether a case is selected by its own value.
    fn is_chosen(&mut self, selector: &Scalar, case: &SwitchCase) -> Option<Scalar> {
        let value = value(case)?;
        Some(self.integer_compare(WordCompare::Eq, selector, &Scalar::Known(value)))
    }

    fn jumping_switch(
        &mut self,
        statement: &'a Statement,
        selector: &Scalar,
        cases: &'a [SwitchCase],
    ) -> Result<Flow> {
        let analysis = self.call().analysis.clone();
        let after = &analysis.liveness.of_statement(statement).after;
        let bodies: Vec<&naga::Block> = cases.iter().map(|case| &case.body).collect();
        let assigned = self.assigned(&bodies);
        let results = self.carried(&assigned, |it, id| it.matters(id, after));
        // Empty cases that fall through pass on the state from before the switch.
        let falls = |case: &SwitchCase| case.fall_through && !case.body.is_empty();
        let through = if cases.iter().any(falls) {
            self.carried(&assigned, |_, _| true)
        } else {
            Vec::new()
        };
        let since = self.log.len();
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
        let targets = cases.iter().zip(&heads);
        let targets = targets.filter_map(|(case, block)| {
            let (value, block) = (value(case)?, *block);
            Some(Target { value, block })
        });
        let mut targets: Vec<_> = targets.collect();
        if targets.len() > MAX_COMPARED_CASES {
            targets.sort_unstable_by_key(|it| it.value);
        }
        self.dispatch(selector, &targets, &before, &other)?;
        let exec = self.exec;
        self.scopes.push(Scope::Switch {
            exit,
            results: results.clone(),
            is_left,
        });
        for (place, case) in cases.iter().enumerate() {
            self.block = heads[place];
            self.exec = exec;
            self.parameters(heads[place], &through);
            if !through.is_empty() {
                // Lanes that left in the preceding case are not among those that fall through.
                self.drop_returned();
                self.drop_continued();
            }
            let flow = self.statements(&case.body, false)?;
            match case.fall_through && place + 1 < cases.len() {
                _ if flow == Flow::Ends => {}
                true => {
                    let arguments = self.arguments(&through)?;
                    self.end(Terminator::Jump(to(place + 1, &arguments)));
                }
                false => {
                    self.break_out()?;
                }
            }
            self.take_back(since);
        }
        let is_left = match self.scopes.pop() {
            Some(Scope::Switch { is_left, .. }) => is_left,
            _ => is_left,
        };
        self.block = exit;
        self.exec = exec;
        self.parameters(exit, &results);
        self.drop_returned();
        self.drop_continued();
        Ok(if is_left { Flow::Goes } else { Flow::Ends })
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
            self.block = first;
            self.dispatch(selector, below, before, other)?;
            self.block = second;
            return self.dispatch(selector, above, before, other);
        }
        for target in targets {
            let value = Scalar::Known(target.value);
            let is_chosen = self.integer_compare(WordCompare::Eq, selector, &value);
            let condition = self.condition(&is_chosen)?;
            let next = self.function.add_block();
            let chosen = Edge {
                block: target.block,
                arguments: before.to_vec(),
            };
            self.end(Terminator::Branch(condition, chosen, Edge::to(next)));
            self.block = next;
        }
        self.end(Terminator::Jump(other.clone()));
        Ok(())
    }

    fn masked_switch(
        &mut self,
        statement: &'a Statement,
        selector: &Scalar,
        cases: &'a [SwitchCase],
    ) -> Result<Flow> {
        let outer = self.exec;
        let all = self.exec_mask();
        let default = cases.iter().position(|case| value(case).is_none());
        let is_default_last = default.is_none_or(|it| it + 1 == cases.len());
        // The masks of many cases would all be live at once: each is computed where its case begins.
        let is_early = cases.len() <= MAX_COMPARED_CASES;
        let mut others = all;
        let mut chosen = vec![None; cases.len()];
        if is_early || !is_default_last {
            for (case, chosen) in cases.iter().zip(&mut chosen) {
                *chosen = self.case_mask((selector, case), all, Some(&mut others));
            }
        }
        self.scopes.push(Scope::MaskedSwitch);
        let mut falling = None;
        for (place, case) in cases.iter().enumerate() {
            self.work(1)?;
            let chosen = if is_early {
                chosen[place]
            } else {
                let others = is_default_last.then_some(&mut others);
                self.case_mask((selector, case), all, others)
            };
            let mut mask = chosen.unwrap_or(others);
            if let Some(falling) = falling.take() {
                mask = self.mask_binary(MaskBinary::Or, mask, falling);
            }
            let end = self.masked_way(statement, place, mask, &case.body, false)?;
            falling = case.fall_through.then_some(end);
        }
        self.scopes.pop();
        self.exec = outer;
        self.drop_returned();
        self.drop_continued();
        Ok(Flow::Goes)
    }

    /// The lanes that select a case by its own value; they are removed from `others`.
    fn case_mask(
        &mut self,
        (selector, case): (&Scalar, &SwitchCase),
        all: Value,
        others: Option<&mut Value>,
    ) -> Option<Value> {
        let is_chosen = self.is_chosen(selector, case)?;
        let mask = self.mask(&is_chosen);
        if let Some(others) = others {
            *others = self.mask_binary(MaskBinary::AndNot, *others, mask);
        }
        Some(self.mask_binary(MaskBinary::And, mask, all))
    }

    /// Removes the lanes that wait for the next iteration of the enclosing loop from the execution mask.
    fn drop_continued(&mut self) {
        let Some(continued) = self.continued() else {
            return;
        };
        let continued = self.slot((continued, 0)).clone();
        if !matches!(continued, Scalar::Known(0)) {
            let (all, continued) = (self.exec_mask(), self.mask(&continued));
            self.exec = Some(self.mask_binary(MaskBinary::AndNot, all, continued));
        }
    }
}
