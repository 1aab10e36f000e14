//! Every limit met exactly: these graphs build, and have a plan.

use anywarp_graph::model::{FieldType, Grid, Scalar, Target};
use anywarp_graph::plan::PlanOptions;
use anywarp_graph::{GraphBuilder, Node, Output, Plan, RecordType};

use crate::rules::nodes::{dynamic_grids, with};
use crate::rules::outputs::many_outputs;
use crate::rules::sharing::sharers;
use crate::rules::{empty, shapes};

/// A node that sends `records` records of `words` words a launch.
pub(crate) fn sends_bytes(node: Node, words: u32, records: u32) -> GraphBuilder {
    empty()
        .record(RecordType::new("W").field("w", FieldType::U32.array(words)))
        .node(node.output(Output::of_type("t", "W", records)))
        .node(Node::thread("t").input_type("W"))
}

fn thread(name: &str) -> Node {
    Node::thread(name).entry()
}

fn group(name: &str) -> Node {
    Node::coalescing(name, 256, [1024, 1, 1]).entry()
}

fn passes(graph: GraphBuilder) -> Plan {
    let graph = graph.build().unwrap();
    Plan::new(&graph, &PlanOptions::default()).unwrap()
}

#[test]
fn outputs_of_a_launch() {
    let target = || Node::thread("t");
    passes(with(group("n").output(Output::empty_to("t", 256))).node(target()));
    passes(with(thread("n").output(Output::empty_to("t", 8))).node(target()));
    passes(sends_bytes(thread("n"), 32, 1));
    passes(sends_bytes(thread("n"), 4, 8));
    passes(sends_bytes(group("n"), 32, 256));
    passes(sends_bytes(group("n"), 8192, 1));
    passes(with(many_outputs(1024)).node(target()));
}

#[test]
fn an_array_and_a_shared_budget_count_once() {
    let array = Target::Dense {
        name: "t".into(),
        size: 2,
    };
    let node = group("n")
        .output(Output::empty_to("t", 256).array(array))
        .output(Output::empty_to("t", 1).named("u").share_budget("t"));
    let graph = with(node)
        .node(Node::thread("t"))
        .node(Node::thread(("t", 1)));
    let plan = passes(graph);
    // The whole budget may go to any one member.
    let worst: Vec<_> = plan.stages()[0]
        .edges
        .iter()
        .map(|edge| edge.max_records)
        .collect();
    assert_eq!(worst, [256, 256]);
}

#[test]
fn a_shared_target_costs_once_for_each_reader() {
    let graph = with(group("n").output(Output::empty_to("t", 128)))
        .node(Node::thread("t"))
        .node(Node::thread("s").share_input_of("t"));
    passes(graph);
    // The owner is one of the 256 that read it.
    passes(sharers(255));
}

#[test]
fn depth() {
    assert_eq!(passes(shapes::chain(32)).levels(), 32);
    assert_eq!(passes(shapes::recursive(31)).levels(), 32);
}

#[test]
fn grids() {
    let grid = |sides| {
        let node = Node::broadcasting("n", Grid::Fixed(sides), [1024, 1, 1]).entry();
        passes(with(node));
        let node = Node::broadcasting("n", Grid::Dynamic { max: sides }, [1, 1, 1]);
        passes(with(node.entry().input_type("G")));
    };
    grid([65535, 1, 1]);
    grid([1, 65535, 1]);
    grid([1, 1, 65535]);
    // 2^24 - 1 = 4097 * 4095.
    grid([4097, 4095, 1]);
}

#[test]
fn sizes() {
    let member = Node::thread(("n", 4095)).entry().local_row((1 << 20) - 1);
    passes(with(member));
    let name = "x".repeat(255);
    passes(with(Node::thread(name.as_str()).entry()));
    let record = RecordType::new("W").field("w", FieldType::of(Scalar::U16, 1).array(1 << 29));
    passes(empty().record(record));
    let nodes = (0..65536).fold(empty(), |graph, index| {
        graph.node(thread(&format!("n{index}")))
    });
    assert_eq!(nodes.build().unwrap().entries().len(), 65536);
    assert_eq!(passes(dynamic_grids(65534)).levels(), 1);
}

#[test]
fn a_node_reached_at_two_depths_runs_after_both() {
    let graph = empty()
        .node(
            thread("a")
                .output(Output::empty_to("b", 1))
                .output(Output::empty_to("c", 1)),
        )
        .node(Node::thread("b").output(Output::empty_to("c", 1)))
        .node(
            Node::thread("c")
                .recursion(2)
                .output(Output::empty_to("c", 1)),
        );
    let graph = graph.build().unwrap();
    let levels: Vec<_> = graph.stages().iter().map(|stage| stage.level).collect();
    assert_eq!(levels, [0, 1, 2, 3, 4]);
}
