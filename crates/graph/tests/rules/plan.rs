//! Graphs for which no plan is possible.

use anywarp_graph::model::Grid;
use anywarp_graph::plan::PlanOptions;
use anywarp_graph::{Node, Output, Plan};

use crate::rules::empty;
use crate::rules::limits::sends_bytes;

#[test]
fn too_little_memory_names_the_least() {
    let graph = sends_bytes(Node::coalescing("n", 1, [1; 3]).entry(), 4, 10);
    let graph = graph.build().unwrap();
    let options = |memory| PlanOptions::default().memory(memory);
    let error = Plan::new(&graph, &options(159)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "graph `g` needs at least 160 bytes for its records, but gets 159"
    );
    let plan = Plan::new(&graph, &options(160)).unwrap();
    assert_eq!((plan.minimum_bytes(), plan.bytes()), (160, 160));
}

/// More workgroups than fit a word are valid: they are launched in parts.
#[test]
fn any_number_of_workgroups_may_wait() {
    let node = Node::coalescing("n", 1, [1; 3]).output(Output::empty_to("t", 256));
    let graph = empty()
        .node(node.entry())
        .node(Node::broadcasting(
            "t",
            Grid::Fixed([65535, 255, 1]),
            [1; 3],
        ))
        .build()
        .unwrap();
    let plan = Plan::new(&graph, &PlanOptions::default()).unwrap();
    assert!(plan.queues()[1].capacity >= 256);
}
