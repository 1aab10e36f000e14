//! Memory limits: a planned size is enough, and too small a size is an error.

use anywarp_graph::device::{CpuRecords, LocalArguments};
use anywarp_graph::model::{FieldType, Grid};
use anywarp_graph::plan::PlanOptions;
use anywarp_graph::{Graph, GraphOptions, GraphRunner, Input, Node, Output, RecordType};
use anywarp_program::Source;

use crate::cases::harness::{Bench, Settings, everywhere, node};
use crate::common::{Gpu, chain};

fn record() -> RecordType {
    RecordType::new("R").field("v", FieldType::U32)
}

/// Two nodes of a level with unequal budgets fill one queue: if there is enough room for both, it
/// is not divided evenly.
#[test]
fn what_is_recommended_takes_one_sweep() {
    let fill = |name: &str, count: u32| {
        let text = format!(
            "fn {name}() {{ let r = alloc_thread_c({count}u); for (var i = 0u; i < {count}u; i++) {{ store_c_v(r, i, 1u); }} complete_c(r); }}"
        );
        let output = Output::of_type("c", "R", count);
        node(
            Node::thread(name).entry().input_type("R").output(output),
            &text,
        )
    };
    let graph = Graph::builder("recommended")
        .record(record())
        .node(fill("a", 8))
        .node(fill("b", 1))
        .node(node(
            Node::thread("c").input_type("R"),
            "fn c() { atomicAdd(&sums[0], load_input_v()); }",
        ))
        .build()
        .unwrap();
    let settings = Settings {
        input_records: 100,
        ..Default::default()
    };
    everywhere("recommended memory", |gpu| {
        let bench = Bench::new(gpu, &graph, &settings);
        let plan = bench.runner.plan();
        assert_eq!(plan.bytes(), plan.recommended_bytes());
        let zeros = [0; 400];
        let inputs = ["a", "b"].map(|name| CpuRecords::new(name, 100, &zeros));
        let report = bench.try_run(&Input::MultiCpu(&inputs)).unwrap();
        assert_eq!((report.sweeps, bench.take()[0]), (1, 900));
    });
}

/// The prefix sums of dynamic grids are part of the plan, so that it fits a device with the default
/// limits.
#[test]
fn the_default_plan_fits_the_default_limits() {
    let record = RecordType::new("R").grid("n", FieldType::U32);
    let graph = Graph::builder("default limits")
        .record(record)
        .node(node(
            Node::coalescing("many", 1, [1, 1, 1])
                .entry()
                .output(Output::of_type("wide", "R", 256)),
            "fn many() { let r = alloc_group_wide(2u); store_wide_n(r, 0u, 2u); store_wide_n(r, 1u, 0u); complete_wide(r); }",
        ))
        .node(node(
            Node::broadcasting("wide", Grid::Dynamic { max: [4, 1, 1] }, [1, 1, 1]).input_type("R"),
            "fn wide() { atomicAdd(&sums[0], 1u); }",
        ))
        .build()
        .unwrap();
    let gpu = Gpu::with_default_limits();
    let sums = gpu.zeros(16);
    let (layout, group) = gpu.group(&sums);
    let options = GraphOptions {
        bind_group_layouts: &[&layout],
        ..Default::default()
    };
    let runner = pollster::block_on(GraphRunner::new(&gpu.device, &gpu.queue, &graph, options));
    let runner = runner.unwrap();
    assert!(runner.plan().bytes() <= 128 << 20);
    let input = Input::Cpu(CpuRecords::new("many", 3, &[]));
    pollster::block_on(runner.run(&input, &[&group])).unwrap();
    assert_eq!(gpu.read(&sums)[0], 6);
}

#[test]
fn every_kind_of_input_needs_room_for_its_descriptor() {
    let gpu = Gpu::cpu();
    let graph = Graph::builder("no inputs")
        .record(record())
        .node(
            Node::thread("a")
                .entry()
                .input_type("R")
                .source(Source::new("a.wgsl", "fn a() {}")),
        )
        .build()
        .unwrap();
    let options = GraphOptions {
        max_inputs: 0,
        ..Default::default()
    };
    let runner = GraphRunner::new(&gpu.device, &gpu.queue, &graph, options);
    let runner = pollster::block_on(runner).unwrap();
    let buffer = gpu.storage(&[0, 1, 0, 0, 4, 0]);
    let records: &[&wgpu::Buffer] = &[&buffer];
    for input in [
        Input::Cpu(CpuRecords::new("a", 1, &[0; 4])),
        Input::Gpu {
            descriptor: &buffer,
            offset: 0,
            records,
        },
        Input::MultiGpu {
            descriptors: &buffer,
            offset: 0,
            records,
            cap: 1,
        },
    ] {
        let error = pollster::block_on(runner.run(&input, &[])).unwrap_err();
        assert_eq!(
            chain(&error),
            "graph `no inputs`: invalid input or option: 1 inputs exceed `max_inputs`, 0"
        );
    }
}

/// Empty records are counted to 2^31 beside records that are copied.
#[test]
fn huge_counts_of_empty_records_leave_others_alone() {
    let empty = |name: &str| {
        let node = Node::coalescing(name, 256, [1, 1, 1]).entry();
        node.source(Source::new("empty.wgsl", format!("fn {name}() {{}}")))
    };
    let graph = Graph::builder("empty sums")
        .record(record())
        .node(empty("a"))
        .node(empty("b"))
        .node(node(
            Node::thread("c").entry().input_type("R"),
            "fn c() { atomicAdd(&sums[0], load_input_v()); }",
        ))
        .build()
        .unwrap();
    let gpu = Gpu::cpu();
    let sums = gpu.zeros(16);
    let (layout, group) = gpu.group(&sums);
    let options = GraphOptions {
        plan: PlanOptions::default().input_records(1 << 31),
        bind_group_layouts: &[&layout],
        ..Default::default()
    };
    let runner = pollster::block_on(GraphRunner::new(&gpu.device, &gpu.queue, &graph, options));
    let runner = runner.unwrap();
    let values = [1_u32, 20, 300].map(u32::to_le_bytes).concat();
    let huge = 1 << 31;
    let inputs = [
        CpuRecords::new("a", huge, &[]),
        CpuRecords::new("b", huge, &[]),
        CpuRecords::new("c", 3, &values),
    ];
    // Two levels would take minutes: only the first step, which feeds, is checked.
    let groups = [&group];
    let steps = pollster::block_on(runner.step(&Input::MultiCpu(&inputs), &groups));
    let mut steps = steps.unwrap();
    pollster::block_on(steps.advance()).unwrap();
    let records = pollster::block_on(steps.records(&"c".into(), 0, 0..10)).unwrap();
    let values: Vec<_> = records.iter().map(ToString::to_string).collect();
    assert_eq!(values, ["{ v: 1 }", "{ v: 20 }", "{ v: 300 }"]);
}

/// Without a stride every node has the whole table; a chosen row must be in the table.
#[test]
fn rows_of_local_arguments() {
    let graph = |row: Option<u32>| {
        let mut node = node(
            Node::thread("a").entry(),
            "fn a() { atomicAdd(&sums[0], local_argument_u32(1u)); }",
        );
        node.local_row = row;
        Graph::builder("rows").node(node).build().unwrap()
    };
    let local = |stride| LocalArguments {
        bytes: [7_u32, 8].map(u32::to_le_bytes).concat(),
        stride,
    };
    let gpu = Gpu::cpu();
    let settings = Settings {
        local: local(0),
        ..Default::default()
    };
    let bench = Bench::new(&gpu, &graph(None), &settings);
    let sums = bench.run(&Input::Cpu(CpuRecords::new("a", 1, &[])));
    assert_eq!(sums[0], 8);
    let sums = gpu.zeros(16);
    let (layout, _) = gpu.group(&sums);
    let options = GraphOptions {
        local_arguments: local(4),
        bind_group_layouts: &[&layout],
        ..Default::default()
    };
    let wrong = graph(Some(2));
    let runner = GraphRunner::new(&gpu.device, &gpu.queue, &wrong, options);
    let error = pollster::block_on(runner).err().unwrap();
    assert_eq!(
        chain(&error),
        "graph `rows`: invalid input or option: node `a` uses row 2 of the local arguments, which have only 8 bytes"
    );
}
