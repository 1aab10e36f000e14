//! Too little memory costs sweeps but changes no result.

use anywarp_graph::device::CpuRecords;
use anywarp_graph::model::{FieldType, Grid, InputAccess, Scalar};
use anywarp_graph::plan::PlanOptions;
use anywarp_graph::{Graph, GraphOptions, GraphRunner, Input, Node, Output, Plan, RecordType};

use crate::cases::harness::{Settings, bytes, cells, check, everywhere, node};
use crate::common::Gpu;

/// Few, since the least memory takes a sweep for a launch of each node.
const RECORDS: u32 = 24;

/// All modes, recursion, sharing and tracking in one graph.
fn graph() -> Graph {
    cells("memory")
        .record(
            RecordType::new("Tile")
                .field("value", FieldType::U32)
                .grid("grid", FieldType::of(Scalar::U16, 2)),
        )
        .node(node(
            Node::thread("split")
                .input_type("Cell")
                .entry()
                .recursion(3)
                .output(Output::of_type("split", "Cell", 2))
                .output(Output::of_type("tile", "Tile", 1)),
            "fn split() {
                let v = load_input_value();
                if is_valid_split() && v % 5u != 4u {
                    let r = alloc_thread_split(2u);
                    store_split_value(r, 0u, 2u * v);
                    store_split_value(r, 1u, 2u * v + 1u);
                    complete_split(r);
                }
                let r = alloc_thread_tile(1u);
                store_tile_value(r, 0u, v);
                store_tile_grid(r, 0u, vec2<u32>(v % 4u, 1u + v % 2u));
                complete_tile(r);
            }",
        ))
        .node(node(
            Node::broadcasting("tile", Grid::Dynamic { max: [4, 2, 1] }, [4, 1, 1])
                .input_type_with("Tile", InputAccess::Tracked)
                .output(Output::of_type("leaf", "Cell", 5)),
            "fn tile(group_id: vec3<u32>, local_index: u32) {
                let v = load_input_value();
                let r = alloc_group_leaf(4u);
                store_leaf_value(r, local_index, v * 8u + group_id.x + local_index);
                complete_leaf(r);
                if finished_cross_group_sharing() && local_index == 0u {
                    let r = alloc_thread_leaf(1u);
                    store_leaf_value(r, 0u, v);
                    complete_leaf(r);
                }
            }",
        ))
        .node(node(
            Node::coalescing("leaf", 16, [16, 1, 1]).input_type("Cell").entry(),
            "fn leaf(local_index: u32, input_count: u32) {
                if local_index < input_count { atomicAdd(&sums[load_input_value(local_index) % 256u], 1u); }
            }",
        ))
        .node(node(
            Node::broadcasting("sharer", Grid::Fixed([2, 1, 1]), [1, 1, 1])
                .input_type("Cell")
                .share_input_of("leaf"),
            "fn sharer(group_id: vec3<u32>) { atomicAdd(&sums[256u + (load_input_value() + group_id.x) % 256u], 1u); }",
        ))
        .build()
        .unwrap()
}

fn run(gpu: &Gpu, graph: &Graph, memory: u64, max_launches: u32) -> (Vec<u32>, u32) {
    let sums = gpu.zeros(512);
    let (layout, group) = gpu.group(&sums);
    let options = GraphOptions {
        plan: PlanOptions::default()
            .memory(memory)
            .input_records(RECORDS.into()),
        bind_group_layouts: &[&layout],
        max_launches,
        ..Default::default()
    };
    let runner = GraphRunner::new(&gpu.device, &gpu.queue, graph, options);
    let runner = pollster::block_on(runner).unwrap();
    let values: Vec<u32> = (0..RECORDS).collect();
    let values = bytes(&values);
    let inputs = [
        CpuRecords::new("split", RECORDS, &values),
        CpuRecords::new("leaf", RECORDS, &values),
    ];
    let report = pollster::block_on(runner.run(&Input::MultiCpu(&inputs), &[&group])).unwrap();
    (gpu.read(&sums), report.sweeps)
}

#[test]
fn tiny_memory_gives_the_same_as_ample() {
    let graph = graph();
    let plan = Plan::new(&graph, &PlanOptions::default()).unwrap();
    let least = plan.minimum_bytes();
    everywhere("memory", |gpu| {
        let (ample, sweeps) = run(gpu, &graph, 64 << 20, u32::MAX);
        assert_eq!(sweeps, 1);
        for memory in [least, 2 * least, 8 * least] {
            let (sums, sweeps) = run(gpu, &graph, memory, u32::MAX);
            assert_eq!(sums, ample, "{memory} bytes on {}", gpu.name);
            assert!(sweeps > 1, "{sweeps} sweeps with {memory} bytes");
        }
    });
}

/// However few launches there may be at once, in the middle of grids too.
#[test]
fn few_launches_at_once_give_the_same() {
    let graph = graph();
    let plan = Plan::new(&graph, &PlanOptions::default()).unwrap();
    let least = plan.minimum_bytes();
    everywhere("launches at once", |gpu| {
        let (ample, _) = run(gpu, &graph, 64 << 20, u32::MAX);
        for (launches, memory) in [(0, 64 << 20), (3, 64 << 20), (16, 64 << 20), (2, least)] {
            let (sums, sweeps) = run(gpu, &graph, memory, launches);
            assert_eq!(sums, ample, "{launches} launches on {}", gpu.name);
            assert!(sweeps > 10, "{sweeps} sweeps with {launches} launches");
        }
    });
}

/// Three nodes of one level fill the same queue, each with all that it may send: the room is divided.
#[test]
pub(crate) fn nodes_of_a_level_share_the_room() {
    let text = "fn fill(local_index: u32) {
        let r = alloc_group_sink(8u);
        store_sink_value(r, local_index, load_input_value(0u));
        complete_sink(r);
    }";
    let filler = |name: &str| {
        node(
            Node::coalescing(name, 1, [8, 1, 1])
                .input_type("Cell")
                .entry()
                .function("fill")
                .output(Output::of_type("sink", "Cell", 8)),
            text,
        )
    };
    let graph = cells("room")
        .node(filler("a"))
        .node(filler("b"))
        .node(filler("c"))
        .node(node(
            Node::thread("sink").input_type("Cell"),
            "fn sink() { atomicAdd(&sums[load_input_value()], 1u); }",
        ))
        .build()
        .unwrap();
    let values = bytes(&(0..16).collect::<Vec<_>>());
    let inputs = ["a", "b", "c"].map(|name| CpuRecords::new(name, 16, &values));
    check(&graph, &Settings::default(), &inputs, |sums| {
        assert_eq!(sums[..17], [[24; 16].as_slice(), &[0]].concat());
    });
}
