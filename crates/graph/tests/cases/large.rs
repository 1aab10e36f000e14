//! Many records: 32768, 65535, 65536 and millions, in every mode, each of them exactly once.

use anywarp_graph::device::CpuRecords;
use anywarp_graph::model::{FieldType, Grid, Scalar};
use anywarp_graph::{Graph, Input, Node, Output, RecordType};

use crate::cases::harness::{Bench, Memory, Settings, bytes, everywhere, is_collected, node};
use crate::common::Gpu;

/// The records that a run counts one by one, in words of the user's buffer.
const MILLIONS: u32 = 3_000_000;

/// Every record goes from the host through a thread node to the sink, which marks it.
fn graph(name: &str, sink: Node, text: &str) -> Graph {
    Graph::builder(name)
        .record(
            RecordType::new("Cell")
                .field("value", FieldType::U32)
                .grid("grid", FieldType::U16),
        )
        .node(node(
            Node::thread("source")
                .input_type("Cell")
                .entry()
                .output(Output::of_type("sink", "Cell", 1)),
            "fn source() {
                let r = alloc_thread_sink(1u);
                store_sink_value(r, 0u, load_input_value());
                store_sink_grid(r, 0u, 1u);
                complete_sink(r);
            }",
        ))
        .node(node(sink.input_type("Cell"), text))
        .build()
        .unwrap()
}

fn run(name: &str, sink: &Node, text: &str) {
    let graph = graph(name, sink.clone(), text);
    if is_collected(&graph, &Settings::default()) {
        return;
    }
    everywhere(name, |gpu| {
        let bench = Bench::new(
            gpu,
            &graph,
            &Settings {
                checked: false,
                words: u64::from(MILLIONS),
                input_records: MILLIONS.into(),
                ..Default::default()
            },
        );
        for count in [32_768, 65_535, 65_536, MILLIONS] {
            let values: Vec<u32> = (0..count).flat_map(|value| [value, 1]).collect();
            let values = bytes(&values);
            let input = Input::Cpu(CpuRecords::new("source", count, &values));
            let look = |how: &str, sums: &[u32]| {
                let mut places = (0..).zip(sums);
                let place = places.find(|&(place, &sum)| sum != u32::from(place < count));
                assert_eq!(place, None, "{name}, {count} records {how} on {}", gpu.name);
            };
            look("run", &bench.run(&input));
            look("recorded", &bench.run_recorded(&input));
        }
    });
}

#[test]
pub(crate) fn thread_nodes() {
    run(
        "many, thread",
        &Node::thread("sink"),
        "fn sink() { atomicAdd(&sums[load_input_value()], 1u); }",
    );
}

#[test]
pub(crate) fn coalescing_nodes() {
    run(
        "many, coalescing",
        &Node::coalescing("sink", 7, [4, 1, 1]),
        "fn sink(local_index: u32, input_count: u32) {
            for (var i = local_index; i < input_count; i += 4u) { atomicAdd(&sums[load_input_value(i)], 1u); }
        }",
    );
}

#[test]
pub(crate) fn broadcasting_nodes() {
    run(
        "many, fixed grid",
        &Node::broadcasting("sink", Grid::Fixed([1, 1, 1]), [1, 1, 1]),
        "fn sink() { atomicAdd(&sums[load_input_value()], 1u); }",
    );
}

#[test]
pub(crate) fn broadcasting_nodes_with_dynamic_grids() {
    run(
        "many, dynamic grid",
        &Node::broadcasting("sink", Grid::Dynamic { max: [1, 1, 1] }, [1, 1, 1]),
        "fn sink() { atomicAdd(&sums[load_input_value()], 1u); }",
    );
}

/// Empty records are only counted: more of them than a dispatch has workgroups in one direction, or
/// places in any buffer.
#[test]
fn empty_records() {
    let graph = Graph::builder("many empty records")
        .node(node(
            Node::broadcasting("source", Grid::Fixed([100, 1, 1]), [1, 1, 1])
                .entry()
                .output(Output::empty_to("sink", 256)),
            "fn source() { count_group_sink(256u); }",
        ))
        .node(node(
            Node::thread("sink").entry(),
            "fn sink() { atomicAdd(&sums[0], 1u); }",
        ))
        .build()
        .unwrap();
    everywhere("many empty records", |gpu| {
        let settings = Settings {
            input_records: 1_000_000,
            ..Default::default()
        };
        let bench = Bench::new(gpu, &graph, &settings);
        let inputs = [
            CpuRecords::new("source", 100, &[]),
            CpuRecords::new("sink", 1_000_000, &[]),
        ];
        assert_eq!(bench.run(&Input::MultiCpu(&inputs))[0], 3_560_000);
    });
}

/// The groups of many dynamic grids, found among them by their number.
#[test]
fn many_dynamic_grids() {
    let graph = Graph::builder("many dynamic grids")
        .record(
            RecordType::new("Tile")
                .field("value", FieldType::U32)
                .grid("grid", FieldType::of(Scalar::U16, 2)),
        )
        .node(node(
            Node::broadcasting("tile", Grid::Dynamic { max: [9, 2, 1] }, [1, 1, 1])
                .input_type("Tile")
                .entry(),
            "fn tile(group_id: vec3<u32>, grid: vec3<u32>) {
                atomicAdd(&sums[load_input_value()], 1u << (group_id.y * grid.x + group_id.x));
            }",
        ))
        .build()
        .unwrap();
    let count = 65_536_u32;
    let grid = |value: u32| [value % 10, value % 7 % 3];
    let tiles: Vec<u32> = (0..count)
        .flat_map(|value| [value, grid(value)[0] | grid(value)[1] << 16])
        .collect();
    let tiles = bytes(&tiles);
    let settings = |input_records, max_launches| Settings {
        memory: Memory::Ample,
        words: count.into(),
        input_records,
        max_launches,
        ..Default::default()
    };
    let look = |count: u32, sums: &[u32]| {
        for (value, &sum) in (0..).zip(sums) {
            let [x, y] = if value < count { grid(value) } else { [0; 2] };
            assert_eq!(sum, (1 << (x * y)) - 1, "{value} of {count}");
        }
    };
    let of = |count| Input::Cpu(CpuRecords::new("tile", count, &tiles));
    everywhere("many dynamic grids", |gpu: &Gpu| {
        let ample = Bench::new(gpu, &graph, &settings(count.into(), u32::MAX));
        look(count, &ample.run(&of(count)));
        look(count, &ample.run_recorded(&of(count)));
        // In several sweeps, none of which has whole blocks.
        let parts = Bench::new(gpu, &graph, &settings(10_007, u32::MAX));
        look(count, &parts.run(&of(count)));
        // More records than one workgroup adds up, and dispatches that end in the middle of grids.
        let few = Bench::new(gpu, &graph, &settings(3000, 777));
        let report = few.try_run(&of(3000)).unwrap();
        look(3000, &few.take());
        let groups: u32 = (0..3000).map(grid).map(|[x, y]| x * y).sum();
        assert_eq!(report.sweeps, groups.div_ceil(777), "{}", gpu.name);
        assert_eq!(report.stages[0].groups, u64::from(groups));
    });
}
