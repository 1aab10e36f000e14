//! Devices with small limits, and graphs that come near them.

use anywarp_graph::device::{Checks, CpuRecords, SharedArena, Step};
use anywarp_graph::model::{FieldType, Grid, Scalar, Target};
use anywarp_graph::plan::PlanOptions;
use anywarp_graph::{Graph, GraphOptions, Input, Node, Output, RecordType};
use pollster::block_on;

use crate::cases::harness::{Bench, Settings, bytes, node};
use crate::common::Gpu;

/// A node with a dynamic grid that sends a record to each of many others.
fn wide(nodes: u32) -> Graph {
    let target = Target::Dense {
        name: "leaf".into(),
        size: nodes,
    };
    let builder = Graph::builder("wide")
        .record(
            RecordType::new("Cell")
                .field("value", FieldType::U32)
                .grid("grid", FieldType::U32),
        )
        .node(node(
            Node::broadcasting("own", Grid::Dynamic { max: [8, 1, 1] }, [1, 1, 1])
                .entry()
                .input_type("Cell")
                .output(Output::of_type("leaf", "Cell", 1).array(target)),
            "fn own(group_id: vec3<u32>) {
                let v = load_input_value() + group_id.x;
                let r = alloc_thread_leaf(v, 1u);
                store_leaf_value(r, 0u, v);
                complete_leaf(r);
            }",
        ));
    let leaf = |index: u32| {
        let leaf = Node::thread(("leaf", index))
            .function("leaf")
            .input_type("Cell");
        node(
            leaf,
            "fn leaf() { atomicAdd(&sums[load_input_value()], 1u); }",
        )
    };
    let builder = (0..nodes).fold(builder, |builder, index| builder.node(leaf(index)));
    builder.build().unwrap()
}

fn run_wide(gpu: &Gpu, nodes: u32) {
    let settings = Settings {
        words: nodes.into(),
        ..Default::default()
    };
    let bench = Bench::new(gpu, &wide(nodes), &settings);
    let words: Vec<_> = (0..nodes / 8).flat_map(|i| [8 * i, 8]).collect();
    let records = bytes(&words);
    let sums = bench.run(&Input::Cpu(CpuRecords::new("own", nodes / 8, &records)));
    assert!(sums.iter().all(|&count| count == 1), "{nodes} nodes");
}

/// Runtime tables are in a uniform buffer if they fit one, and are correct in both kinds of buffer.
#[test]
fn tables_of_every_size() {
    let gpu = Gpu::with_default_limits();
    for nodes in [304, 640, 656, 904] {
        run_wide(&gpu, nodes);
    }
    let small = wgpu::Limits {
        max_uniform_buffer_binding_size: 16 << 10,
        ..Default::default()
    };
    run_wide(&Gpu::with_limits(small), 304);
}

/// The needs of many readers besides records exceed the plan's estimate; the plan gets less memory
/// then.
#[test]
fn many_dynamic_readers() {
    let reader = |index: u32| {
        let grid = Grid::Dynamic { max: [4, 1, 1] };
        let reader = Node::broadcasting(("reader", index), grid, [1, 1, 1]);
        let text = "fn reader() { atomicAdd(&sums[load_input_x()], 1u); }";
        node(reader.input_type("Cell").function("reader"), text)
    };
    let builder = Graph::builder("readers")
        .record(RecordType::new("Cell").grid("x", FieldType::U32))
        .node(reader(0).entry());
    let graph = (1..256).fold(builder, |builder, index| {
        builder.node(reader(index).share_input_of(("reader", 0)))
    });
    let graph = graph.build().unwrap();
    let gpu = Gpu::with_default_limits();
    let sums = gpu.zeros(8);
    let (layout, group) = gpu.group(&sums);
    let options = GraphOptions {
        bind_group_layouts: &[&layout],
        ..Default::default()
    };
    let memory = SharedArena::new(&gpu.device, &gpu.queue);
    let runner = block_on(memory.load(&graph, options)).unwrap_or_else(|error| panic!("{error}"));
    let records = bytes(&[3, 1]);
    let input = Input::Cpu(CpuRecords::new("reader", 2, &records));
    block_on(runner.run(&input, &[&group])).unwrap();
    assert_eq!(gpu.read(&sums)[..4], [0, 256, 0, 3 * 256]);
}

/// More workgroups wait than fit a word. They are launched in parts, in order.
#[test]
fn grids_beyond_all_counting() {
    let graph = Graph::builder("huge")
        .record(
            RecordType::new("Tile")
                .field("id", FieldType::U32)
                .grid("grid", FieldType::of(Scalar::U32, 2)),
        )
        .node(node(
            Node::broadcasting(
                "own",
                Grid::Dynamic {
                    max: [4095, 4097, 1],
                },
                [1, 1, 1],
            )
            .input_type("Tile")
            .entry(),
            "fn own() { atomicAdd(&sums[load_input_id()], 1u); }",
        ))
        .build()
        .unwrap();
    let (small, large) = (500, 400);
    // Of up to two workgroups each, then of 2^24 - 1.
    let grids = (0..small).map(|id| [id, id % 3, 1]);
    let grids = grids.chain((small..small + large).map(|id| [id, 4095, 4097]));
    let records = bytes(&grids.flatten().collect::<Vec<_>>());
    let gpu = Gpu::cpu();
    let sums = gpu.zeros(1024);
    let (layout, group) = gpu.group(&sums);
    let options = GraphOptions {
        plan: PlanOptions::default().memory(1 << 20).input_records(1000),
        checks: Checks::All,
        bind_group_layouts: &[&layout],
        max_launches: 300,
        ..Default::default()
    };
    let memory = SharedArena::new(&gpu.device, &gpu.queue);
    let runner = block_on(memory.load(&graph, options)).unwrap();
    let input = Input::Cpu(CpuRecords::new("own", small + large, &records));
    let groups = [&group];
    let mut steps = block_on(runner.step(&input, &groups)).unwrap();
    let mut levels = 0;
    while levels < 5 {
        if let Some(Step::LevelRan { stages, .. }) = block_on(steps.advance()).unwrap() {
            assert_eq!(stages[0].launched, 300);
            levels += 1;
        }
    }
    let sums = gpu.read(&sums);
    let expected = |id: u32| if id < small { id % 3 } else { 0 };
    let before: u32 = (0..small).map(expected).sum();
    assert!((0..small).all(|id| sums[id as usize] == expected(id)));
    assert_eq!(sums[small as usize], 5 * 300 - before);
    assert!(sums[small as usize + 1..].iter().all(|&count| count == 0));
}
