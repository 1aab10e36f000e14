//! The call graph: bottom-up order and recursion.
//!
//! In: functions as a back end has lowered them ([`FunctionBody`]) and the entry points. Out:
//! [`CallGraph`]: a bottom-up order (callees
//! before callers), which functions are recursive, and which run only on the path to a panic.
//! Unreachable functions are left out. The algorithms are iterative, so deep call chains need no
//! stack.
//!
//! A call of a function that ends its thread ([`noreturn`]) is not an edge of a
//! cycle: it never returns, and the code it runs only builds a message.

use std::collections::{HashMap, HashSet};

use super::noreturn::{self, Exits};
use super::{FunctionId, FunctionType};
use crate::{TranslateError, Warning};

/// A function as a back end has lowered it, for the analyses of calls.
pub(crate) trait FunctionBody {
    /// Index of its type in the program.
    fn type_index(&self) -> u32;
    /// Index of its name.
    fn name(&self) -> u32;
    /// Its calls, in the order of its code.
    fn calls(&self) -> impl Iterator<Item = CallSite>;
    /// How control leaves it, if only these callees return.
    fn exits(&self, returns: impl Fn(FunctionId) -> bool) -> Exits;
}

/// A call in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CallSite {
    /// A direct call.
    Direct(FunctionId),
    /// An indirect call through an immutable table, resolved to a direct call.
    Devirtualized(FunctionId),
    /// A call through a table.
    Indirect {
        /// The table.
        table: u32,
        /// Index of the type in the program.
        type_index: u32,
    },
}

/// Adjacency lists by node.
type Edges = Vec<Vec<usize>>;

/// The call graph of the reachable functions.
pub(crate) struct CallGraph {
    functions: Vec<FunctionId>,
    /// Direct calls, without those of functions that end the thread.
    direct: Edges,
    /// Callees before callers.
    pub order: Vec<FunctionId>,
    /// Functions that are recursive by direct calls or through an immutable table.
    pub recursive: HashSet<FunctionId>,
    /// Functions that end their thread.
    pub noreturn: HashSet<FunctionId>,
    /// Functions that are reachable without a call that ends the thread.
    pub live: HashSet<FunctionId>,
}

/// The roots of the call graph.
pub(crate) struct Roots<'a> {
    /// Functions at which threads begin, or that other modules can call.
    pub entries: &'a [FunctionId],
    /// Address-taken functions: any of them may be in any table.
    pub address_taken: &'a [FunctionId],
}

/// Builds the call graph.
pub(crate) fn build<F: FunctionBody>(
    lowered: &HashMap<FunctionId, F>,
    roots: &Roots<'_>,
    names: &[String],
) -> CallGraph {
    let (functions, mut direct, mut all) = reach(lowered, roots);
    let callees_first: Vec<FunctionId> = components(&all)
        .into_iter()
        .flatten()
        .map(|node| functions[node])
        .collect();
    let noreturn = noreturn::find(lowered, &callees_first, names);
    for calls in direct.iter_mut().chain(&mut all) {
        calls.retain(|&node| !noreturn.contains(&functions[node]));
    }
    let mut order = Vec::with_capacity(functions.len());
    let mut recursive = HashSet::new();
    for component in components(&all) {
        if is_cycle(&component, &all) {
            recursive.extend(component.iter().map(|&node| functions[node]));
        }
        order.extend(component.iter().map(|&node| functions[node]));
    }
    let live = live(lowered, roots, &noreturn);
    CallGraph {
        functions,
        direct,
        order,
        recursive,
        noreturn,
        live,
    }
}

/// The functions that threads can reach without a call that ends them.
fn live<F: FunctionBody>(
    lowered: &HashMap<FunctionId, F>,
    roots: &Roots<'_>,
    noreturn: &HashSet<FunctionId>,
) -> HashSet<FunctionId> {
    let mut by_type: HashMap<u32, Vec<FunctionId>> = HashMap::new();
    for id in roots.address_taken {
        if let Some(function) = lowered.get(id) {
            by_type.entry(function.type_index()).or_default().push(*id);
        }
    }
    let mut live = HashSet::new();
    // Entry points are included even if they always panic.
    let mut work = roots.entries.to_vec();
    while let Some(id) = work.pop() {
        if !lowered.contains_key(&id) || !live.insert(id) {
            continue;
        }
        let mut called = Vec::new();
        for call in lowered[&id].calls() {
            match call {
                CallSite::Direct(function) | CallSite::Devirtualized(function) => {
                    called.push(function);
                }
                CallSite::Indirect { type_index, .. } => {
                    called.extend(by_type.remove(&type_index).unwrap_or_default());
                }
            }
        }
        work.extend(called.into_iter().filter(|id| !noreturn.contains(id)));
    }
    live
}

/// Numbers the functions that are reachable from the roots, and collects their edges: direct calls,
/// and all calls.
fn reach<F: FunctionBody>(
    lowered: &HashMap<FunctionId, F>,
    roots: &Roots<'_>,
) -> (Vec<FunctionId>, Edges, Edges) {
    let mut nodes: HashMap<FunctionId, usize> = HashMap::new();
    let mut functions = Vec::new();
    let mut node_of = |id: FunctionId, functions: &mut Vec<FunctionId>| {
        *nodes.entry(id).or_insert_with(|| {
            functions.push(id);
            functions.len() - 1
        })
    };
    let roots = roots.address_taken.iter().chain(roots.entries);
    for root in roots.filter(|root| lowered.contains_key(root)) {
        node_of(*root, &mut functions);
    }
    let (mut direct, mut all) = (Edges::new(), Edges::new());
    while let Some(id) = functions.get(all.len()).copied() {
        let (mut by_name, mut calls) = (Vec::new(), Vec::new());
        for call in lowered[&id].calls() {
            let (function, is_direct) = match call {
                CallSite::Direct(function) => (function, true),
                CallSite::Devirtualized(function) => (function, false),
                CallSite::Indirect { .. } => continue,
            };
            if lowered.contains_key(&function) {
                let node = node_of(function, &mut functions);
                calls.push(node);
                if is_direct {
                    by_name.push(node);
                }
            }
        }
        direct.push(by_name);
        all.push(calls);
    }
    (functions, direct, all)
}

impl CallGraph {
    /// Returns an error that shows the cycle if functions that are not on the path to a panic are
    /// recursive by direct calls.
    pub(crate) fn reject_recursion<F: FunctionBody>(
        &self,
        lowered: &HashMap<FunctionId, F>,
        names: &[String],
    ) -> Result<(), TranslateError> {
        let cyclic = components(&self.direct)
            .into_iter()
            .filter(|component| {
                let is_live = |&node: &usize| self.live.contains(&self.functions[node]);
                component.iter().any(is_live)
            })
            .find(|component| is_cycle(component, &self.direct));
        let Some(component) = cyclic else {
            return Ok(());
        };
        // The first function in the module's order begins, so that the message does not depend on
        // the order of the search.
        let first = component
            .iter()
            .copied()
            .min_by_key(|&node| self.functions[node]);
        let cycle = first.map_or_else(Vec::new, |first| self.cycle(first, &component));
        let name = |node: usize| names[lowered[&self.functions[node]].name() as usize].clone();
        Err(TranslateError::Recursion {
            cycle: cycle.into_iter().map(name).collect(),
        })
    }

    /// A shortest cycle through a node within its component (breadth-first search).
    fn cycle(&self, first: usize, component: &[usize]) -> Vec<usize> {
        let inside: HashSet<usize> = component.iter().copied().collect();
        let mut came_from: HashMap<usize, usize> = HashMap::new();
        let mut queue = std::collections::VecDeque::from([first]);
        while let Some(node) = queue.pop_front() {
            for &next in &self.direct[node] {
                if next == first {
                    let mut path = vec![node];
                    let mut at = node;
                    while let Some(&before) = came_from.get(&at) {
                        path.push(before);
                        at = before;
                    }
                    path.reverse();
                    return path;
                }
                if inside.contains(&next) && next != first && !came_from.contains_key(&next) {
                    came_from.insert(next, node);
                    queue.push_back(next);
                }
            }
        }
        vec![first]
    }
}

/// Warnings for indirect calls through which functions may be recursive, ignoring calls that end
/// the thread. Any address-taken function may be in any table.
pub(crate) fn possible_recursion<F: FunctionBody>(
    lowered: &HashMap<FunctionId, F>,
    graph: &CallGraph,
    address_taken: &[FunctionId],
    (names, types): (&[String], &[FunctionType]),
) -> Vec<Warning> {
    let count = graph.functions.len();
    let nodes: HashMap<FunctionId, usize> = graph.functions.iter().copied().zip(0..).collect();
    // Types are nodes after the functions: an indirect call of a type may call every address-taken
    // function of that type.
    let mut edges = graph.direct.clone();
    edges.resize(count + types.len(), Vec::new());
    for id in address_taken
        .iter()
        .filter(|id| !graph.noreturn.contains(id))
    {
        if let (Some(&node), Some(function)) = (nodes.get(id), lowered.get(id)) {
            edges[count + function.type_index() as usize].push(node);
        }
    }
    let mut sites: Vec<(usize, u32, u32)> = Vec::new();
    let mut seen = HashSet::new();
    for (node, id) in graph.functions.iter().enumerate() {
        if !graph.live.contains(id) {
            continue;
        }
        for call in lowered[id].calls() {
            if let CallSite::Indirect { table, type_index } = call
                && seen.insert((node, table, type_index))
            {
                sites.push((node, table, type_index));
                edges[node].push(count + type_index as usize);
            }
        }
    }
    let mut component_of = vec![0; edges.len()];
    for (number, component) in components(&edges).into_iter().enumerate() {
        for node in component {
            component_of[node] = number;
        }
    }
    let cyclic = sites
        .into_iter()
        .filter(|(node, _, ty)| component_of[*node] == component_of[count + *ty as usize]);
    let warnings = cyclic.map(|(node, table, ty)| Warning::PossibleRecursion {
        function: names[lowered[&graph.functions[node]].name() as usize].clone(),
        table,
        ty: types[ty as usize].to_string(),
    });
    warnings.collect()
}

/// Whether the functions of a component are recursive.
fn is_cycle(component: &[usize], edges: &Edges) -> bool {
    match component {
        [node] => edges[*node].contains(node),
        _ => true,
    }
}

/// The strongly connected components, callees first: Tarjan's algorithm with an explicit stack.
pub(crate) fn components(edges: &Edges) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut found = Vec::new();
    let mut index = vec![UNSEEN; edges.len()];
    let mut low = vec![0; edges.len()];
    let mut on_stack = vec![false; edges.len()];
    let (mut stack, mut work) = (Vec::new(), Vec::new());
    let mut next = 0;
    for root in 0..edges.len() {
        if index[root] != UNSEEN {
            continue;
        }
        work.push((root, 0));
        while let Some((node, edge)) = work.pop() {
            if edge == 0 {
                index[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&to) = edges[node].get(edge) {
                work.push((node, edge + 1));
                if index[to] == UNSEEN {
                    work.push((to, 0));
                } else if on_stack[to] {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            if low[node] == index[node] {
                let start = stack.iter().rposition(|&other| other == node).unwrap_or(0);
                let component: Vec<usize> = stack.drain(start..).collect();
                for &member in &component {
                    on_stack[member] = false;
                }
                found.push(component);
            }
            if let Some(&(parent, _)) = work.last() {
                low[parent] = low[parent].min(low[node]);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{components, is_cycle};

    #[test]
    fn callees_come_before_callers_and_cycles_stay_together() {
        // 0 -> 1 -> 2 -> 1, 2 -> 3, 4 -> 4.
        let edges = vec![vec![1], vec![2], vec![1, 3], vec![], vec![4]];
        let mut found = components(&edges);
        for component in &mut found {
            component.sort_unstable();
        }
        assert_eq!(found, [vec![3], vec![1, 2], vec![0], vec![4]]);
        let cycles: Vec<bool> = found
            .iter()
            .map(|component| is_cycle(component, &edges))
            .collect();
        assert_eq!(cycles, [false, true, false, true]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let edges = (0..200_000).map(|node| {
            if node == 199_999 {
                vec![]
            } else {
                vec![node + 1]
            }
        });
        assert_eq!(components(&edges.collect()).len(), 200_000);
    }
}
