//! Fallthrough between the cases of a switch.
//!
//! In: the shapes of the cases. Out: an order in which each case that falls through is directly followed by its
//! target. This needs a single label for each case, fallthrough only at the end of a case, and little duplicated code.
//! Otherwise the switch becomes a chain of conditions on a flag that names the case to execute (`numbered_switch` in
//! `exits`). naga's cases can fall through, WGSL's cannot: the WGSL writer duplicates the code that follows.

use super::exits::Resolver;
use super::shape::{ConstructIndex, ExitKind, Shape, ShapeCase};
use super::{List, Tree};
use crate::maps::HashMap;

/// The targets of each case that falls through, by the construct of the case: one entry for each jump.
pub(super) type Falls = HashMap<ConstructIndex, Vec<usize>>;

/// The maximum size of the code that fallthrough may duplicate in one switch, in words of SPIR-V: about twenty short
/// statements.
const MAX_REPEATED: usize = 256;

impl Resolver<'_> {
    /// The order of the cases, and for each whether it falls through into the next; `None` if there is no such order.
    pub(super) fn falling_cases(&self, cases: &[ShapeCase]) -> Option<Vec<(usize, bool)>> {
        // naga's SPIR-V writer falls through into the wrong case if a case has several values.
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
            // The phis of a case are assigned in its prologue, which fallthrough must not execute.
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
        // The cases of a fallthrough cycle are not in the order.
        (order.len() == cases.len() && repeated <= MAX_REPEATED).then_some(order)
    }

    /// The number of jumps into other cases at the end of a case.
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

    /// Removes the jump into the next case at the end of a case; all other paths to the end break out of the switch.
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

    /// Lowers the jumps at the end of a case that becomes a condition: a jump into another case only sets the flag, a
    /// jump out of the switch is dropped. Returns whether jumps into other cases are left.
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

    /// The total size of the blocks in a list, in words.
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

/// Topological order of the cases: each before the cases that it falls into.
pub(super) fn order(cases: &[ShapeCase], falls: &Falls) -> Vec<usize> {
    let falls = |case: &ShapeCase| -> Vec<usize> {
        let mut into = falls.get(&case.construct).cloned().unwrap_or_default();
        into.sort_unstable();
        into.dedup();
        into
    };
    // Reverse postorder of a depth-first search, from the last case to the first.
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
