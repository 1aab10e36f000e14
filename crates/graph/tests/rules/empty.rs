//! A graph without nodes is valid.

use anywarp_graph::device::CpuRecords;
use anywarp_graph::plan::PlanOptions;
use anywarp_graph::{GraphOptions, GraphRunner, Input, Node, Plan};
use anywarp_program::Source;
use pollster::block_on;

use crate::rules::device::devices;
use crate::rules::empty;

#[test]
fn the_empty_graph_runs() {
    let graph = empty().build().unwrap();
    let options = PlanOptions::default().memory(0);
    let plan = Plan::new(&graph, &options).unwrap();
    assert_eq!((plan.levels(), plan.bytes()), (0, 0));
    for (device, queue) in devices() {
        let runner = GraphRunner::new(&device, &queue, &graph, GraphOptions::default());
        let runner = block_on(runner).unwrap();
        let report = block_on(runner.run(&Input::MultiCpu(&[]), &[])).unwrap();
        assert!(report.stages.is_empty());
    }
}

#[test]
fn no_records_are_legal() {
    let node = Node::thread("n").entry();
    let node = node.source(Source::new("n.wgsl", "fn n() {}"));
    let graph = empty().node(node).build().unwrap();
    for (device, queue) in devices() {
        let runner = GraphRunner::new(&device, &queue, &graph, GraphOptions::default());
        let runner = block_on(runner).unwrap();
        for input in [
            Input::MultiCpu(&[]),
            Input::Cpu(CpuRecords::new("n", 0, &[])),
        ] {
            let report = block_on(runner.run(&input, &[])).unwrap();
            assert_eq!(report.stages[0].records_in, 0);
        }
    }
}
