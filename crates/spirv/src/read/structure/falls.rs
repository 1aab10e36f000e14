//! Cases of a switch that fall into others.
//!
//! In: the shapes of the cases. Out: an order in which each case that falls is followed by the one that it
//! falls into, if each has one value, all that falls does so at its end and little has to be written twice;
//! otherwise cases that tell the next one to run. naga's cases fall through, WGSL's do not: the writer repeats
//! what follows.

use super::exits::Resolver;
use super::shape::{ConstructIndex, ExitKind, Shape, ShapeCase};
use super::{List, Tree};
use crate::maps::HashMap;

/// Into which cases a case falls, once for each jump, by its construct.
pub(super) type Falls = HashMap<ConstructIndex, Vec<usize>>;

/// How many words of SPIR-V a switch may have written again: some twenty short statements.
const MAX_REPEATED: usize = 256;

impl Resolver<'_> {
    /// The order of the cases, and which of them go on with the next; nothing if it cannot be that.
    pub(super) fn falling_cases(&self, cases: &[ShapeCase]) -> Option<Vec<(usize, bool)>> {
        // naga's SPIR-V writer lets cases fall into the wrong ones where some have several values.
        let labels = |case: &ShapeCase| case.values.len() + usize::from(case.is_default);
        if cases.iter().any(|case| labels(case) != 1) {
            return None;
        }
        let mut into = vec![None; cases.len()];
        let mut is_fallen_into = vec![false; cases.len()];
        for (number, case) in cases.iter().enumerate() {
            let Some(falls) = self.falls.get(&case.construct) else {
                continue;
            };
            let target = falls[0];
            let is_one = falls.iter().all(|it| *it == target);
            let at_end = self.falls_at_end(case.body, case.construct);
            let is_free = !std::mem::replace(&mut is_fallen_into[target], true);
            // What the phis of a case take is set before it, which falling must not do again.
            let is_plain = is_one && is_free && cases[target].phis.is_none();
            if !is_plain || at_end != falls.len() {
                return None;
            }
            into[number] = Some(target);
        }
        let mut order = Vec::with_capacity(cases.len());
        let mut repeated = 0;
        for start in (0..cases.len()).filter(|it| !is_fallen_into[*it]) {
            let mut next = Some(start);
            let mut before = 0;
            while let Some(at) = next {
                repeated += before * self.length(cases[at].body);
                before += 1;
                next = into[at];
                order.push((at, next.is_some()));
            }
        }
        // In a circle none is the first.
        (order.len() == cases.len() && repeated <= MAX_REPEATED).then_some(order)
    }

    /// How many jumps into other cases stand at the end of a case.
    fn falls_at_end(&self, body: List, case: ConstructIndex) -> usize {
        match self.shapes.last(body) {
            Some(Shape::Exit(left, ExitKind::Fall(_))) => usize::from(*left == case),
            Some(Shape::If { accept, reject, .. }) => {
                self.falls_at_end(*accept, case) + self.falls_at_end(*reject, case)
            }
            Some(Shape::Inside(construct, inner)) if self.exits[*construct] == 0 => {
                self.falls_at_end(*inner, case)
            }
            _ => 0,
        }
    }

    /// Makes the end of a case the begin of the next, and everything else that comes there leave the switch.
    pub(super) fn fall_off(
        &mut self,
        body: &mut List,
        case: ConstructIndex,
        switch: ConstructIndex,
    ) {
        let mut last = self.shapes.last_mut(*body).map(std::mem::take);
        match &mut last {
            Some(Shape::Exit(left, ExitKind::Fall(_))) if *left == case => last = Some(Shape::Gone),
            Some(Shape::Exit(..) | Shape::Leave(_)) => {}
            Some(Shape::If { accept, reject, .. }) => {
                self.fall_off(accept, case, switch);
                self.fall_off(reject, case, switch);
            }
            Some(Shape::Inside(construct, inner)) if self.exits[*construct] == 0 => {
                self.fall_off(inner, case, switch);
            }
            _ => {
                let leave = Shape::Exit(switch, ExitKind::Break);
                self.put_back(*body, last);
                return self.shapes.push(body, leave);
            }
        }
        self.put_back(*body, last);
    }

    fn put_back(&mut self, body: List, last: Option<Shape>) {
        if let (Some(place), Some(last)) = (self.shapes.last_mut(body), last) {
            *place = last;
        }
    }

    /// Takes away the jumps at the end of a case that is a condition: one into another case only chooses it,
    /// one out of the switch is nothing. Says whether jumps into other cases are left.
    pub(super) fn end_case(
        &mut self,
        body: &mut List,
        case: ConstructIndex,
        switch: ConstructIndex,
    ) -> bool {
        let falls = self.falls.get(&case).map_or(0, Vec::len);
        if self.falls_at_end(*body, case) != falls {
            return true;
        }
        self.end_list(*body, case, switch);
        false
    }

    fn end_list(&mut self, body: List, case: ConstructIndex, switch: ConstructIndex) {
        let last = self.shapes.last_mut(body).map(std::mem::take);
        let last = match last {
            Some(Shape::Exit(left, ExitKind::Fall(number))) if left == case => {
                Some(Shape::Choose(case, number))
            }
            Some(Shape::Exit(left, ExitKind::Break)) if left == switch => {
                self.exits[switch] -= 1;
                Some(Shape::Gone)
            }
            Some(Shape::If {
                block,
                accept,
                reject,
            }) => {
                self.end_list(accept, case, switch);
                self.end_list(reject, case, switch);
                Some(Shape::If {
                    block,
                    accept,
                    reject,
                })
            }
            Some(Shape::Inside(construct, inner)) if self.exits[construct] == 0 => {
                self.end_list(inner, case, switch);
                Some(Shape::Inside(construct, inner))
            }
            last => last,
        };
        self.put_back(body, last);
    }

    /// How many words the blocks of a list have.
    fn length(&self, shapes: List) -> usize {
        fn add(tree: &Tree<Shape>, shapes: List, size: &dyn Fn(usize) -> usize) -> usize {
            let sizes = tree.iter(shapes).map(|shape| match shape {
                Shape::Block(block) => size(*block),
                Shape::If { accept, reject, .. } => {
                    add(tree, *accept, size) + add(tree, *reject, size)
                }
                Shape::Inside(_, shapes) => add(tree, *shapes, size),
                Shape::Switch { cases, .. } => {
                    cases.iter().map(|case| add(tree, case.body, size)).sum()
                }
                Shape::Loop {
                    body, continuing, ..
                } => add(tree, *body, size) + add(tree, *continuing, size),
                _ => 1,
            });
            sizes.sum()
        }
        add(&self.shapes, shapes, self.size)
    }
}

/// Cases such that each comes before those into which it falls.
pub(super) fn order(cases: &[ShapeCase], falls: &Falls) -> Vec<usize> {
    let falls = |case: &ShapeCase| -> Vec<usize> {
        let mut into = falls.get(&case.construct).cloned().unwrap_or_default();
        into.sort_unstable();
        into.dedup();
        into
    };
    // Depth first, the last first: the reverse of the order in which they end.
    let mut is_seen = vec![false; cases.len()];
    let mut order = Vec::new();
    for start in (0..cases.len()).rev() {
        let mut stack = vec![(start, false)];
        while let Some((at, is_over)) = stack.pop() {
            if is_over {
                order.push(at);
            } else if !std::mem::replace(&mut is_seen[at], true) {
                stack.push((at, true));
                stack.extend(falls(&cases[at]).into_iter().map(|into| (into, false)));
            }
        }
    }
    order.reverse();
    order
}
