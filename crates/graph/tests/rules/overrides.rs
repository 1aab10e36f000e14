//! Metadata overrides: changes to nodes without touching their declarations.

use anywarp_graph::model::{Grid, Launch, NodeOverride};
use anywarp_graph::{Graph, Node, Output};

use crate::rules::nodes::with;
use crate::rules::{Case, case, empty};

pub(crate) fn cases() -> Vec<Case> {
    let two_outputs = || {
        Node::thread("n")
            .entry()
            .output(Output::empty_to("t", 2))
            .output(Output::empty_to("t", 2).named("u").share_budget("t"))
    };
    let budget = |output: &str, records| NodeOverride {
        budgets: vec![(output.into(), records)],
        ..Default::default()
    };
    let grid = || NodeOverride {
        grid: Some([1; 3]),
        ..Default::default()
    };
    let target = || Node::thread("t");
    vec![
        case(
            "UnknownOverride",
            with(Node::thread("n").entry()).override_node(("n", 1), NodeOverride::default()),
            "there is no node `n[1]` to override",
        ),
        case(
            "OverrideMismatch",
            with(Node::thread("n").entry()).override_node("n", grid()),
            "node `n`: the override of a grid or a budget does not apply: only broadcasting nodes have a grid",
        ),
        case(
            "OverrideMismatch",
            with(two_outputs())
                .node(target())
                .override_node("n", budget("u", 1)),
            "node `n`: output `u`: the override of a grid or a budget does not apply: the output shares the budget of another output",
        ),
        case(
            "OverrideMismatch",
            with(two_outputs())
                .node(target())
                .override_node("n", budget("v", 1)),
            "node `n`: output `v`: the override of a grid or a budget does not apply: the node has no such output",
        ),
        case(
            "OutputRecords",
            with(two_outputs())
                .node(target())
                .override_node("n", budget("t", 9)),
            "node `n`: its outputs add up to 9 records per launch; at most 8 are allowed",
        ),
        case(
            "DuplicateNode",
            with(two_outputs()).node(target()).override_node(
                "n",
                NodeOverride {
                    id: Some("t".into()),
                    ..Default::default()
                },
            ),
            "node `t`: is declared twice",
        ),
    ]
}

/// A broadcasting entry that feeds itself and a node `t`.
fn declared() -> Node {
    Node::broadcasting("n", Grid::Fixed([2, 1, 1]), [4, 1, 1])
        .entry()
        .recursion(1)
        .output(Output::empty_to("n", 1).named("again"))
        .output(Output::empty_to("t", 4))
}

#[test]
fn every_property_can_be_overridden() {
    let change = NodeOverride {
        grid: Some([5, 6, 7]),
        budgets: vec![("t".into(), 17), ("again".into(), 3)],
        recursion: Some(9),
        entry: Some(false),
        local_row: Some(4),
        ..Default::default()
    };
    let feeder = Node::thread("f").entry().output(Output::empty_to("n", 1));
    let graph = empty()
        .node(feeder)
        .node(declared())
        .node(Node::thread("t"));
    let graph = graph.override_node("n", change).build().unwrap();
    let node = &graph.nodes()[1];
    let Launch::Broadcasting { grid, .. } = node.launch else {
        panic!("{:?}", node.launch);
    };
    assert_eq!(grid, Grid::Fixed([5, 6, 7]));
    let budgets: Vec<_> = node
        .resolved_outputs
        .iter()
        .map(|way| way.max_records)
        .collect();
    assert_eq!(budgets, [3, 17]);
    assert_eq!((node.recursion, node.entry, node.row), (9, false, 4));
    assert_eq!(graph.entries(), [0]);
    assert_eq!(graph.levels(), 12);
}

#[test]
fn a_new_name_keeps_the_function_and_is_what_targets_use() {
    let renamed = |id: (&str, u32)| NodeOverride {
        id: Some(id.into()),
        ..Default::default()
    };
    let graph: Graph = empty()
        .node(Node::thread("a").entry())
        .node(Node::thread("b").entry())
        .node(
            Node::thread("s")
                .entry()
                .output(Output::empty_to(("b", 0), 1)),
        )
        // Two nodes swap their names.
        .override_node("a", renamed(("b", 0)))
        .override_node("b", renamed(("a", 0)))
        .build()
        .unwrap();
    assert_eq!(graph.nodes()[0].id, "b".into());
    assert_eq!(graph.nodes()[0].function.as_deref(), Some("a"));
    assert_eq!(graph.nodes()[2].resolved_outputs[0].targets, [Some(0)]);
}

#[test]
fn a_dynamic_grid_stays_dynamic() {
    let node = Node::broadcasting("n", Grid::Dynamic { max: [1; 3] }, [1; 3]);
    let change = NodeOverride {
        grid: Some([3, 2, 1]),
        ..Default::default()
    };
    let graph = with(node.input_type("G").entry()).override_node("n", change);
    let graph = graph.build().unwrap();
    assert!(graph.has_dynamic_grid(0));
}
