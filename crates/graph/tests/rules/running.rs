//! Graphs at the limits do not only build, they also run.

use anywarp_graph::device::{Checks, CpuRecords, OutputCounts};
use anywarp_graph::{GraphBuilder, GraphOptions, GraphRunner, Input, Node, Output, Report};
use anywarp_program::Source;
use pollster::block_on;

use crate::rules::device::devices;
use crate::rules::empty;

/// Runs a graph with one empty record for a node, on every device.
fn runs(graph: GraphBuilder, entry: &str, check: impl Fn(&Report)) {
    let graph = graph.build().unwrap();
    for (device, queue) in devices() {
        let options = GraphOptions {
            checks: Checks::All,
            output_counts: OutputCounts::On,
            ..Default::default()
        };
        let runner = GraphRunner::new(&device, &queue, &graph, options);
        let runner = block_on(runner).unwrap_or_else(|error| panic!("{error}"));
        let input = Input::Cpu(CpuRecords::new(entry, 1, &[]));
        let report = block_on(runner.run(&input, &[])).unwrap_or_else(|error| panic!("{error}"));
        check(&report);
    }
}

fn with_text(node: Node, body: &str) -> Node {
    let text = format!("fn {}() {{ {body} }}", node.id.name);
    node.source(Source::new("n.wgsl", text))
}

fn records(report: &Report) -> Vec<u64> {
    report.stages.iter().map(|stage| stage.records_in).collect()
}

#[test]
fn a_chain_of_32() {
    let graph = (0..32).fold(empty(), |graph, index| {
        let (name, next) = (format!("n{index}"), format!("n{}", index + 1));
        let node = Node::thread(name.as_str());
        let node = if index < 31 {
            with_text(
                node.output(Output::empty_to(next.as_str(), 1)),
                &format!("count_thread_{next}(1u);"),
            )
        } else {
            with_text(node, "")
        };
        graph.node(if index == 0 { node.entry() } else { node })
    });
    runs(graph, "n0", |report| {
        assert_eq!(records(report), [1; 32]);
    });
}

#[test]
fn a_recursion_of_31() {
    let node = Node::thread("n").entry().recursion(31);
    let node = node.output(Output::empty_to("n", 1));
    let graph = empty().node(with_text(node, "if is_valid_n() { count_thread_n(1u); }"));
    runs(graph, "n", |report| {
        assert_eq!(records(report), [1; 32]);
    });
}

#[test]
fn outputs_of_a_whole_workgroup() {
    let node = Node::coalescing("n", 1, [64, 1, 1]).entry();
    let graph = empty()
        .node(with_text(
            node.output(Output::empty_to("t", 256)),
            "count_thread_t(4u);",
        ))
        .node(with_text(Node::thread("t"), ""));
    runs(graph, "n", |report| {
        assert_eq!(records(report), [1, 256]);
    });
}
