//! Fallthrough between the cases of a switch.
//!
//! In: the regions of the cases. Out: an order in which each case that falls through is directly followed by its
//! target. This needs a single label for each case, fallthrough only at the end of a case, and little duplicated code.
//! Otherwise the switch becomes a chain of conditions on a flag that names the case to execute (`flag_switch` in
//! `exit_lowering`). naga's cases can fall through, WGSL's cannot: the WGSL writer duplicates the code that follows.

use super::exit_lowering::ExitLowering;
use super::regions::{ConstructIndex, ExitKind, Region, RegionCase};
use super::{List, ListArena};
use crate::maps::HashMap;

/// The targets of each case that falls through, by the construct of the case: one entry for each jump.
pub(super) type FallthroughTargets = HashMap<ConstructIndex, Vec<usize>>;

/// The maximum size of the code that fallthrough may duplicate in one switch, in words of SPIR-V: about twenty short
/// statements.
const MAX_DUPLICATED_WORDS: usize = 256;

impl ExitLowering<'_> {
    /// The order of the cases, and for each whether it falls through into the next; `None` if there is no such order.
    pub(super) fn fallthrough_order(&self, cases: &[RegionCase]) -> Option<Vec<(usize, bool)>> {
        // naga's SPIR-V writer falls through into the wrong case if a case has several values.
        let labels = |case: &RegionCase| case.values.len() + usize::from(case.is_default);
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
            let is_one = falls.iter().all(|into_case| *into_case == target);
            let at_end = self.fallthroughs_at_end(case.body, case.construct);
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
        for start in (0..cases.len()).filter(|case| !is_fallen_into[*case]) {
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
        (order.len() == cases.len() && repeated <= MAX_DUPLICATED_WORDS).then_some(order)
    }

    /// The number of jumps into other cases at the end of a case.
    fn fallthroughs_at_end(&self, body: List, case: ConstructIndex) -> usize {
        match self.regions.last(body) {
            Some(Region::Exit(left, ExitKind::Fallthrough(_))) => usize::from(*left == case),
            Some(Region::If { accept, reject, .. }) => {
                self.fallthroughs_at_end(*accept, case) + self.fallthroughs_at_end(*reject, case)
            }
            Some(Region::Construct(construct, inner)) if self.exits[*construct] == 0 => {
                self.fallthroughs_at_end(*inner, case)
            }
            _ => 0,
        }
    }

    /// Removes the jump into the next case at the end of a case; all other paths to the end break out of the switch.
    pub(super) fn remove_fallthrough(
        &mut self,
        body: &mut List,
        case: ConstructIndex,
        switch: ConstructIndex,
    ) {
        let mut last = self.regions.last_mut(*body).map(std::mem::take);
        match &mut last {
            Some(Region::Exit(left, ExitKind::Fallthrough(_))) if *left == case => {
                last = Some(Region::Removed);
            }
            Some(Region::Exit(..) | Region::Terminator(_)) => {}
            Some(Region::If { accept, reject, .. }) => {
                self.remove_fallthrough(accept, case, switch);
                self.remove_fallthrough(reject, case, switch);
            }
            Some(Region::Construct(construct, inner)) if self.exits[*construct] == 0 => {
                self.remove_fallthrough(inner, case, switch);
            }
            _ => {
                let leave = Region::Exit(switch, ExitKind::Break);
                self.restore_last(*body, last);
                return self.regions.push(body, leave);
            }
        }
        self.restore_last(*body, last);
    }

    fn restore_last(&mut self, body: List, last: Option<Region>) {
        if let (Some(place), Some(last)) = (self.regions.last_mut(body), last) {
            *place = last;
        }
    }

    /// Lowers the jumps at the end of a case that becomes a condition: a jump into another case only sets the flag, a
    /// jump out of the switch is dropped. Returns whether jumps into other cases are left.
    pub(super) fn lower_case_end(
        &mut self,
        body: &mut List,
        case: ConstructIndex,
        switch: ConstructIndex,
    ) -> bool {
        let falls = self.falls.get(&case).map_or(0, Vec::len);
        if self.fallthroughs_at_end(*body, case) != falls {
            return true;
        }
        self.lower_list_end(*body, case, switch);
        false
    }

    fn lower_list_end(&mut self, body: List, case: ConstructIndex, switch: ConstructIndex) {
        let last = self.regions.last_mut(body).map(std::mem::take);
        let last = match last {
            Some(Region::Exit(left, ExitKind::Fallthrough(number))) if left == case => {
                Some(Region::SelectCase(case, number))
            }
            Some(Region::Exit(left, ExitKind::Break)) if left == switch => {
                self.exits[switch] -= 1;
                Some(Region::Removed)
            }
            Some(Region::If {
                block,
                accept,
                reject,
            }) => {
                self.lower_list_end(accept, case, switch);
                self.lower_list_end(reject, case, switch);
                Some(Region::If {
                    block,
                    accept,
                    reject,
                })
            }
            Some(Region::Construct(construct, inner)) if self.exits[construct] == 0 => {
                self.lower_list_end(inner, case, switch);
                Some(Region::Construct(construct, inner))
            }
            last => last,
        };
        self.restore_last(body, last);
    }

    /// The total size of the blocks in a list, in words.
    fn length(&self, regions: List) -> usize {
        fn add(arena: &ListArena<Region>, regions: List, size: &dyn Fn(usize) -> usize) -> usize {
            let sizes = arena.iter(regions).map(|region| match region {
                Region::Block(block) => size(*block),
                Region::If { accept, reject, .. } => {
                    add(arena, *accept, size) + add(arena, *reject, size)
                }
                Region::Construct(_, regions) => add(arena, *regions, size),
                Region::Switch { cases, .. } => {
                    cases.iter().map(|case| add(arena, case.body, size)).sum()
                }
                Region::Loop {
                    body, continuing, ..
                } => add(arena, *body, size) + add(arena, *continuing, size),
                _ => 1,
            });
            sizes.sum()
        }
        add(&self.regions, regions, self.size)
    }
}

/// Topological order of the cases: each before the cases that it falls into.
pub(super) fn order(cases: &[RegionCase], falls: &FallthroughTargets) -> Vec<usize> {
    let falls = |case: &RegionCase| -> Vec<usize> {
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
