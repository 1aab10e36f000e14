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
    fn trip_count(&self, header: BlockId, blocks: impl Iterator<Item = BlockId>) -> Option<u64>;
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
    fn paths(&mut self, subgraph: &[usize], mut incoming: Costs) -> Option<Costs> {
        let mut ends = Costs::new();
        let Some(level) = subgraph.first().map(|segment| self.level[*segment]) else {
            return Some(ends);
        };
        for component in self.components(subgraph).iter().rev() {
            let longest_incoming = component.iter().filter_map(|segment| incoming.get(segment));
            let Some(longest_incoming) = longest_incoming.copied().max() else {
                continue;
            };
            let own = match component[..] {
                [one] if !self.successors(one, level).any(|next| next == one) => {
                    let cost = self.segments.all[one].cost;
                    Costs::from([(one, longest_incoming.saturating_add(cost))])
                }
                _ => self.cycle(component, &incoming)?,
            };
            for (&segment, &end) in &own {
                for next in self.successors(segment, level) {
                    let known = incoming.entry(next).or_default();
                    *known = end.max(*known);
                }
            }
            ends.extend(own);
        }
        Some(ends)
    }

    /// The longest paths to the ends of the segments of a cycle.
    fn cycle(&mut self, component: &[usize], incoming: &Costs) -> Option<Costs> {
        let all = &self.segments.all;
        let headers = component.iter().filter(|segment| all[**segment].is_start);
        let bounded = headers.filter_map(|header| {
            let blocks = component.iter().map(|segment| all[*segment].block);
            Some((*header, self.cycles.trip_count(all[*header].block, blocks)?))
        });
        let (header, trip_count) = bounded.min_by_key(|cycle| cycle.1)?;
        let outer = self.level[header];
        self.levels += 1;
        component
            .iter()
            .for_each(|segment| self.level[*segment] = self.levels);
        self.is_cut[header] = true;
        let iteration = self.paths(component, Costs::from([(header, 0)]))?;
        // Paths that enter in the middle have an additional partial iteration.
        let elsewhere = component
            .iter()
            .filter(|segment| **segment != header)
            .filter_map(|segment| Some((*segment, *incoming.get(segment)?)));
        let mut ends = self.paths(component, elsewhere.collect())?;
        self.is_cut[header] = false;
        component
            .iter()
            .for_each(|segment| self.level[*segment] = outer);
        let back = |ends: &Costs| {
            let ends = ends.iter();
            let ends =
                ends.filter(|(segment, _)| self.segments.all[**segment].next.contains(&header));
            ends.map(|end| *end.1).max()
        };
        let Some(at_head) = incoming.get(&header).copied().max(back(&ends)) else {
            return Some(ends);
        };
        let others = back(&iteration)
            .unwrap_or(0)
            .saturating_mul(trip_count.saturating_sub(1));
        let before_last = at_head.saturating_add(others);
        for (segment, end) in iteration {
            let known = ends.entry(segment).or_default();
            *known = before_last.saturating_add(end).max(*known);
        }
        Some(ends)
    }

    /// The successors of a segment at its level.
    fn successors(&self, at: usize, level: usize) -> impl Iterator<Item = usize> {
        let next = self.segments.all[at].next.iter().copied();
        next.filter(move |next| self.level[*next] == level && !self.is_cut[*next])
    }

    /// The strongly connected components of a part, each before those that lead to it.
    fn components(&self, subgraph: &[usize]) -> Vec<Vec<usize>> {
        let Some(&first) = subgraph.first() else {
            return Vec::new();
        };
        let mut tarjan = Tarjan::default();
        let next = |segment: usize| {
            self.successors(segment, self.level[first])
                .collect::<Vec<_>>()
        };
        for &segment in subgraph {
            if !tarjan.numbers.contains_key(&segment) {
                tarjan.visit(segment, next);
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

    fn enter(&mut self, segment: usize) {
        let number = self.numbers.len();
        self.numbers.insert(segment, (number, number));
        self.open.push(segment);
    }

    fn lower(&mut self, segment: usize, low: usize) {
        let (_, own) = self.numbers.entry(segment).or_default();
        *own = low.min(*own);
    }

    /// Completes a component if the segment is its root. Returns its low link.
    fn leave(&mut self, segment: usize) -> usize {
        let (number, low) = self.numbers[&segment];
        if number == low
            && let Some(begin) = self.open.iter().rposition(|open| *open == segment)
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
