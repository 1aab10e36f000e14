//! Graphs without a plan.

use anywarp_graph::{Grid, Node, Output, Plan, PlanOptions};

use crate::empty;
use crate::limits::sends_bytes;

#[test]
fn too_little_memory_names_the_least() {
    let graph = sends_bytes(Node::coalescing("n", 1, [1; 3]).entry(), 4, 10);
    let graph = graph.build().unwrap();
    let options = |memory| PlanOptions {
        memory,
        ..Default::default()
    };
    let error = Plan::new(&graph, &options(159)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "graph `g` needs at least 160 bytes for its records, but gets 156"
    );
    let plan = Plan::new(&graph, &options(160)).unwrap();
    assert_eq!((plan.minimum_bytes(), plan.bytes()), (160, 160));
}

#[test]
fn workgroups_can_be_counted() {
    // 256 records of 2^23 workgroups each are 2^31; one workgroup more is too many.
    let graph = |grid| {
        empty()
            .node(
                Node::coalescing("n", 1, [1; 3])
                    .entry()
                    .output(Output::empty_to("t", 256)),
            )
            .node(Node::broadcasting("t", Grid::Fixed(grid), [1; 3]))
            .build()
            .unwrap()
    };
    assert!(Plan::new(&graph([4096, 2048, 1]), &PlanOptions::default()).is_ok());
    let error = Plan::new(&graph([4096, 2049, 1]), &PlanOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "node `t`: 256 records, which must fit its queue, launch more than 2^31 workgroups; lower the grid"
    );
}
