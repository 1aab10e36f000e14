//! Random graphs with their WGSL, in which some nodes are declared differently and overridden.

use anywarp_graph::model::{Budget, Grid, Launch, NodeOverride};
use anywarp_graph::{Graph, Node};

use crate::random::chance::Chance;
use crate::random::shape::Shape;
use crate::random::wgsl;

/// The same graph with WGSL; and the number of nodes that are declared differently and overridden
/// to be the original ones.
pub(crate) fn with_texts(chance: &mut Chance, shape: &Shape) -> (Graph, u32) {
    let mut builder = Graph::builder(shape.graph.name());
    for record in shape.graph.records() {
        builder = builder.record(record.clone());
    }
    let mut overridden = 0;
    for (index, node) in shape.graph.nodes().iter().enumerate() {
        let text = wgsl::text(shape, index);
        let source = anywarp_program::Source::new(format!("{}.wgsl", node.id), text);
        let node = Node::clone(node).function("body").source(source);
        if !chance.one_in(4) {
            builder = builder.node(node);
            continue;
        }
        let (declared, change) = disguised(chance, node, index as u32);
        let id = declared.id.clone();
        builder = builder.node(declared).override_node(id, change);
        overridden += 1;
    }
    let graph = builder.build().unwrap();
    for (made, meant) in graph.nodes().iter().zip(shape.graph.nodes()) {
        assert_eq!((&made.id, made.launch), (&meant.id, meant.launch));
        assert_eq!((made.entry, made.row), (meant.entry, meant.row));
        assert_eq!(made.recursion, meant.recursion);
        assert_eq!(made.outputs, meant.outputs);
    }
    (graph, overridden)
}

/// A node with a different declaration, and the override that restores it.
fn disguised(chance: &mut Chance, mut node: Node, number: u32) -> (Node, NodeOverride) {
    let mut change = NodeOverride::default();
    if chance.one_in(2) {
        // The function keeps the declared name of the node.
        change.id = Some(std::mem::replace(&mut node.id, ("body", number).into()));
        node.function = None;
    }
    if let Launch::Broadcasting { grid, .. } = &mut node.launch
        && chance.one_in(2)
    {
        let (Grid::Fixed(sides) | Grid::Dynamic { max: sides }) = grid;
        change.grid = Some(std::mem::replace(sides, [9, 1, 7]));
    }
    for output in &mut node.outputs {
        if let Budget::Own(budget) = &mut output.budget
            && chance.one_in(2)
        {
            let budget = std::mem::replace(budget, 1);
            change.budgets.push((output.name.clone(), budget));
        }
    }
    if chance.one_in(2) {
        change.recursion = Some(std::mem::replace(&mut node.recursion, 5));
        change.entry = Some(node.entry);
        node.entry = !node.entry;
    }
    if let Some(row) = &mut node.local_row
        && chance.one_in(2)
    {
        change.local_row = Some(std::mem::replace(row, 99));
    }
    (node, change)
}
