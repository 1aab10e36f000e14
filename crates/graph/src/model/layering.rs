//! Assigns levels to nodes: longest-path layering of the graph.
//!
//! In: resolved nodes. Out: their stages, sorted by level. A node runs one level after the last of
//! its predecessors, on the longest path from an entry. Each step of its recursion takes one level. A
//! node that shares an input runs at the levels of the input's owner. What always holds: the level
//! increases along every edge.

use super::launch::Grid;
use super::resolve::ResolvedNode;
use super::violation::{Rule, RuleViolation};
use super::{NodeIndex, Stage};

/// The maximum number of nodes with dynamic grids at a level: one less than the workgroups of a
/// dispatch along one side.
const MAX_DYNAMIC_GRIDS: usize = 65534;
/// The maximum number of levels: the longest chain of nodes, including recursion.
pub const MAX_LEVELS: u32 = 32;

pub(super) fn stages(nodes: &[ResolvedNode]) -> Result<Vec<Stage>, RuleViolation> {
    let mut stages = Vec::new();
    for (node, first) in first_levels(nodes)?.into_iter().enumerate() {
        for step in 0..steps(nodes, node) {
            let level = first + step;
            stages.push(Stage { node, step, level });
        }
    }
    stages.sort_by_key(|stage| stage.level);
    Ok(stages)
}

/// The admission pass of a level has one workgroup for each node with a dynamic grid and one for
/// the level itself.
pub(super) fn check_dynamic_grids(
    nodes: &[ResolvedNode],
    stages: &[Stage],
) -> Result<(), RuleViolation> {
    for stages in stages.chunk_by(|one, other| one.level == other.level) {
        let launches = stages.iter().map(|stage| nodes[stage.node].launch);
        let dynamic = launches.filter(|launch| matches!(launch.grid(), Some(Grid::Dynamic { .. })));
        let (nodes, level) = (dynamic.count(), stages[0].level);
        if nodes > MAX_DYNAMIC_GRIDS {
            return Err(RuleViolation::of_graph(Rule::TooManyDynamicGrids {
                nodes,
                level,
            }));
        }
    }
    Ok(())
}

/// The number of levels of a node. A node that shares an input reads it at each step of the owner's
/// recursion.
fn steps(nodes: &[ResolvedNode], node: NodeIndex) -> u32 {
    nodes[nodes[node].owner].recursion + 1
}

fn first_levels(nodes: &[ResolvedNode]) -> Result<Vec<u32>, RuleViolation> {
    let mut first = vec![0; nodes.len()];
    for node in in_order(nodes)? {
        let next = u64::from(first[node]) + u64::from(nodes[nodes[node].owner].recursion) + 1;
        if next > u64::from(MAX_LEVELS) {
            return Err(RuleViolation::of_node(&nodes[node].id, Rule::TooDeep(next)));
        }
        for reader in readers(nodes, node) {
            first[reader] = first[reader].max(next as u32);
        }
    }
    Ok(first)
}

/// The nodes other than itself that read the records of a node.
fn readers(nodes: &[ResolvedNode], node: NodeIndex) -> impl Iterator<Item = NodeIndex> {
    let targets = nodes[node]
        .resolved_outputs
        .iter()
        .flat_map(|output| &output.targets);
    targets
        .flatten()
        .filter(move |&&target| target != node)
        .flat_map(|&target| nodes[target].sharers.iter().copied().chain([target]))
}

/// Topological order (Kahn's algorithm): each node after all its predecessors.
fn in_order(nodes: &[ResolvedNode]) -> Result<Vec<NodeIndex>, RuleViolation> {
    let mut predecessors = vec![0_usize; nodes.len()];
    for node in 0..nodes.len() {
        for reader in readers(nodes, node) {
            predecessors[reader] += 1;
        }
    }
    let mut order: Vec<_> = (0..nodes.len())
        .filter(|&node| predecessors[node] == 0)
        .collect();
    let mut done = 0;
    while let Some(&node) = order.get(done) {
        done += 1;
        for reader in readers(nodes, node) {
            predecessors[reader] -= 1;
            if predecessors[reader] == 0 {
                order.push(reader);
            }
        }
    }
    if order.len() < nodes.len() {
        return Err(RuleViolation::of_graph(Rule::Cycle(cycle(
            nodes,
            &predecessors,
        ))));
    }
    Ok(order)
}

/// Finds a cycle among the nodes that the topological sort could not order: following predecessors from
/// any of them must reach a node twice.
fn cycle(nodes: &[ResolvedNode], predecessors: &[usize]) -> String {
    let waiting: Vec<_> = (0..nodes.len())
        .filter(|&node| predecessors[node] > 0)
        .collect();
    let mut predecessor = vec![None; nodes.len()];
    for &node in waiting.iter().rev() {
        for reader in readers(nodes, node) {
            predecessor[reader] = Some(node);
        }
    }
    let mut place = vec![None; nodes.len()];
    let mut path: Vec<NodeIndex> = Vec::new();
    let mut at = waiting.first().copied();
    while let Some(node) = at {
        if let Some(start) = place[node] {
            let names = path[start..].iter().rev();
            let names: Vec<_> = names.map(|&node| format!("`{}`", nodes[node].id)).collect();
            return names.join(", ");
        }
        place[node] = Some(path.len());
        path.push(node);
        at = predecessor[node];
    }
    String::new()
}
