//! The longest path in a graph whose cycles have bounds.
//!
//! In: segments of blocks with costs, edges, and trip counts of cycles by their headers. Out: for each segment the
//! longest path to its end from given ones. Strongly connected components (Tarjan) are taken in topological order. A
//! component with a cycle costs as many iterations as its header allows. An iteration is the longest path in the
//! component without the edges to its header, which is the same problem again, one nesting level further in.

use std::collections::HashMap;

use crate::ir::BlockId;

/// Bounds on the iterations of cycles.
pub(super) trait Cycles {
    /// The most executions of `head` before control leaves `blocks`, if `head` is the header of a loop that contains
    /// them.
    fn turns(&self, head: BlockId, blocks: impl Iterator<Item = BlockId>) -> Option<u64>;
}

/// A graph of segments.
#[derive(Default)]
pub(super) struct Segments {
    all: Vec<Segment>,
}

struct Segment {
    cost: u64,
    block: BlockId,
    /// Whether it is the first of its block.
    is_start: bool,
    next: Vec<usize>,
}

/// The costs of paths, by segment; missing for segments that are not reached.
pub(super) type Costs = HashMap<usize, u64>;

impl Segments {
    pub(super) fn add(&mut self, block: BlockId, is_start: bool) -> usize {
        self.all.push(Segment {
            cost: 0,
            block,
            is_start,
            next: Vec::new(),
        });
        self.all.len() - 1
    }

    pub(super) fn spend(&mut self, at: usize, cost: u64) {
        self.all[at].cost += cost;
    }

    pub(super) fn connect(&mut self, from: usize, to: usize) {
        self.all[from].next.push(to);
    }

    /// The longest path to the end of each segment from given starts with initial costs. `None` if such a path reaches
    /// a cycle without a bound.
    pub(super) fn longest(&self, starts: &[(usize, u64)], cycles: &impl Cycles) -> Option<Costs> {
        let mut search = Search {
            segments: self,
            cycles,
            level: vec![0; self.all.len()],
            levels: 0,
            is_cut: vec![false; self.all.len()],
        };
        let all: Vec<_> = (0..self.all.len()).collect();
        search.paths(&all, starts.iter().copied().collect())
    }
}

struct Search<'a, C> {
    segments: &'a Segments,
    cycles: &'a C,
    /// By segment: the nesting level of the subgraph that contains it.
    level: Vec<usize>,
    levels: usize,
    /// Segments into which no edge is followed: headers of the cycles around the current subgraph.
    is_cut: Vec<bool>,
}

impl<C: Cycles> Search<'_, C> {
    /// Follows paths in a subgraph, where all of `part` are at the same level. Returns the longest path to the end of
    /// each segment.
    fn paths(&mut self, part: &[usize], mut arriving: Costs) -> Option<Costs> {
        let mut ends = Costs::new();
        let Some(level) = part.first().map(|it| self.level[*it]) else {
            return Some(ends);
        };
        for component in self.components(part).iter().rev() {
            let arrived = component.iter().filter_map(|it| arriving.get(it));
            let Some(arrived) = arrived.copied().max() else {
                continue;
            };
            let own = match component[..] {
                [one] if !self.follows(one, level).any(|it| it == one) => {
                    let cost = self.segments.all[one].cost;
                    Costs::from([(one, arrived.saturating_add(cost))])
                }
                _ => self.cycle(component, &arriving)?,
            };
            for (&it, &end) in &own {
                for next in self.follows(it, level) {
                    let known = arriving.entry(next).or_default();
                    *known = end.max(*known);
                }
            }
            ends.extend(own);
        }
        Some(ends)
    }

    /// The longest paths to the ends of the segments of a cycle.
    fn cycle(&mut self, component: &[usize], arriving: &Costs) -> Option<Costs> {
        let all = &self.segments.all;
        let heads = component.iter().filter(|it| all[**it].is_start);
        let counted = heads.filter_map(|head| {
            let blocks = component.iter().map(|it| all[*it].block);
            Some((*head, self.cycles.turns(all[*head].block, blocks)?))
        });
        let (head, turns) = counted.min_by_key(|it| it.1)?;
        let outer = self.level[head];
        self.levels += 1;
        component
            .iter()
            .for_each(|it| self.level[*it] = self.levels);
        self.is_cut[head] = true;
        let turn = self.paths(component, Costs::from([(head, 0)]))?;
        // Paths that enter in the middle have an additional partial iteration.
        let elsewhere = component.iter().filter(|it| **it != head);
        let elsewhere = elsewhere.filter_map(|it| Some((*it, *arriving.get(it)?)));
        let mut ends = self.paths(component, elsewhere.collect())?;
        self.is_cut[head] = false;
        component.iter().for_each(|it| self.level[*it] = outer);
        let back = |ends: &Costs| {
            let ends = ends.iter();
            let ends = ends.filter(|(it, _)| self.segments.all[**it].next.contains(&head));
            ends.map(|it| *it.1).max()
        };
        let Some(at_head) = arriving.get(&head).copied().max(back(&ends)) else {
            return Some(ends);
        };
        let others = back(&turn)
            .unwrap_or(0)
            .saturating_mul(turns.saturating_sub(1));
        let before_last = at_head.saturating_add(others);
        for (it, end) in turn {
            let known = ends.entry(it).or_default();
            *known = before_last.saturating_add(end).max(*known);
        }
        Some(ends)
    }

    /// The successors of a segment at its level.
    fn follows(&self, at: usize, level: usize) -> impl Iterator<Item = usize> {
        let next = self.segments.all[at].next.iter().copied();
        next.filter(move |it| self.level[*it] == level && !self.is_cut[*it])
    }

    /// The strongly connected components of a part, each before those that lead to it.
    fn components(&self, part: &[usize]) -> Vec<Vec<usize>> {
        let Some(&first) = part.first() else {
            return Vec::new();
        };
        let mut tarjan = Tarjan::default();
        let next = |it: usize| self.follows(it, self.level[first]).collect::<Vec<_>>();
        for &it in part {
            if !tarjan.numbers.contains_key(&it) {
                tarjan.visit(it, next);
            }
        }
        tarjan.components
    }
}

/// Tarjan's algorithm for strongly connected components, with an explicit stack.
#[derive(Default)]
struct Tarjan {
    /// By segment: its preorder number, and its low link.
    numbers: HashMap<usize, (usize, usize)>,
    open: Vec<usize>,
    is_done: std::collections::HashSet<usize>,
    components: Vec<Vec<usize>>,
}

impl Tarjan {
    fn visit(&mut self, first: usize, next: impl Fn(usize) -> Vec<usize>) {
        let mut stack = vec![(first, next(first).into_iter())];
        self.enter(first);
        while let Some((at, left)) = stack.last_mut() {
            let at = *at;
            let Some(to) = left.next() else {
                stack.pop();
                let low = self.leave(at);
                if let Some((above, _)) = stack.last() {
                    self.lower(*above, low);
                }
                continue;
            };
            match self.numbers.get(&to) {
                None => {
                    self.enter(to);
                    stack.push((to, next(to).into_iter()));
                }
                Some((number, _)) if !self.is_done.contains(&to) => self.lower(at, *number),
                Some(_) => {}
            }
        }
    }

    fn enter(&mut self, it: usize) {
        let number = self.numbers.len();
        self.numbers.insert(it, (number, number));
        self.open.push(it);
    }

    fn lower(&mut self, it: usize, low: usize) {
        let (_, own) = self.numbers.entry(it).or_default();
        *own = low.min(*own);
    }

    /// Completes a component if the segment is its root. Returns its low link.
    fn leave(&mut self, it: usize) -> usize {
        let (number, low) = self.numbers[&it];
        if number == low
            && let Some(begin) = self.open.iter().rposition(|open| *open == it)
        {
            let component = self.open.split_off(begin);
            self.is_done.extend(&component);
            self.components.push(component);
            // A completed component does not lower the low links of its ancestors.
            return usize::MAX;
        }
        low
    }
}
