//! `switch`: a chain of jumps where the selector is the same for every lane and no lane leaves early, else masks.

use naga::{Expression, Handle, Statement, SwitchCase, SwitchValue};

use crate::ir::{Edge, MaskBinary, Terminator, WordCompare};

use super::error::Result;
use super::scalar::Scalar;
use super::{Flow, Lowering, Scope};

impl<'a> Lowering<'a> {
    pub(super) fn switch(
        &mut self,
        statement: &'a Statement,
        selector: Handle<Expression>,
        cases: &'a [SwitchCase],
    ) -> Result<Flow> {
        let selector = self.scalar(selector)?;
        let is_divergent = self.call().analysis.is_divergent(statement);
        match selector.is_same() && !is_divergent {
            true => self.jumping_switch(statement, &selector, cases),
            false => self.masked_switch(statement, &selector, cases),
        }
    }

    /// Whether a case is chosen by its own value.
    fn is_chosen(&mut self, selector: &Scalar, case: &SwitchCase) -> Option<Scalar> {
        let value = match case.value {
            SwitchValue::I32(value) => value.cast_unsigned(),
            SwitchValue::U32(value) => value,
            SwitchValue::Default => return None,
        };
        Some(self.integer_compare(WordCompare::Eq, selector, &Scalar::Known(value)))
    }

    fn jumping_switch(
        &mut self,
        statement: &'a Statement,
        selector: &Scalar,
        cases: &'a [SwitchCase],
    ) -> Result<Flow> {
        let analysis = self.call().analysis.clone();
        let after = &analysis.liveness.around(statement).after;
        let bodies: Vec<&naga::Block> = cases.iter().map(|case| &case.body).collect();
        let assigned = self.assigned(&bodies);
        let results = self.carried(&assigned, |it, id| it.matters(id, after));
        // Empty cases fall through with what there was before.
        let falls = |case: &SwitchCase| case.fall_through && !case.body.is_empty();
        let through = match cases.iter().any(falls) {
            true => self.carried(&assigned, |_, _| true),
            false => Vec::new(),
        };
        let since = self.log.len();
        let exit = self.function.add_block();
        let heads: Vec<_> = cases.iter().map(|_| self.function.add_block()).collect();
        // What a case begins with: what there was before, or what the case before it has left.
        let before = self.arguments(&through)?;
        let to = |place: usize, arguments: &Vec<_>| Edge {
            block: heads[place],
            arguments: arguments.clone(),
        };
        let mut default = None;
        for (place, case) in cases.iter().enumerate() {
            let Some(is_chosen) = self.is_chosen(selector, case) else {
                default = Some(place);
                continue;
            };
            let condition = self.condition(&is_chosen)?;
            let next = self.function.add_block();
            self.end(Terminator::Branch(
                condition,
                to(place, &before),
                Edge::to(next),
            ));
            self.block = next;
        }
        let mut is_left = false;
        match default {
            Some(place) => self.end(Terminator::Jump(to(place, &before))),
            None => {
                let arguments = self.arguments(&results)?;
                self.end(Terminator::Jump(Edge {
                    block: exit,
                    arguments,
                }));
                is_left = true;
            }
        }
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
                // Lanes that went elsewhere in the case before are not among those that fall through.
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
        if let Some(Scope::Switch { is_left: left, .. }) = self.scopes.pop() {
            is_left = left;
        }
        self.block = exit;
        self.exec = exec;
        self.parameters(exit, &results);
        self.drop_returned();
        self.drop_continued();
        Ok(if is_left { Flow::Goes } else { Flow::Ends })
    }

    fn masked_switch(
        &mut self,
        statement: &'a Statement,
        selector: &Scalar,
        cases: &'a [SwitchCase],
    ) -> Result<Flow> {
        let outer = self.exec;
        let all = self.exec_mask();
        let mut chosen = Vec::new();
        let mut others = all;
        for case in cases {
            let mask = match self.is_chosen(selector, case) {
                Some(is_chosen) => {
                    let mask = self.mask(&is_chosen);
                    others = self.mask_binary(MaskBinary::AndNot, others, mask);
                    Some(self.mask_binary(MaskBinary::And, mask, all))
                }
                None => None,
            };
            chosen.push(mask);
        }
        self.scopes.push(Scope::MaskedSwitch);
        let mut falling = None;
        for (place, case) in cases.iter().enumerate() {
            let mut mask = chosen[place].unwrap_or(others);
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

    /// Takes those lanes out that wait for the next iteration of the loop around.
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
