//! Limits met exactly, on devices, and exceeded by one.

use anywarp_graph::device::CpuRecords;
use anywarp_graph::model::{FieldType, Grid, InputAccess, MAX_LEVELS};
use anywarp_graph::plan::{PlanError, PlanOptions};
use anywarp_graph::{Graph, Node, Output, Plan, RecordType};

use crate::cases::harness::{Settings, bytes, cells, check, node};

fn deep(levels: u32) -> Result<Graph, anywarp_graph::model::RuleViolation> {
    cells("deep")
        .node(node(
            Node::thread("down")
                .input_type("Cell")
                .entry()
                .recursion(levels - 2)
                .output(Output::of_type("down", "Cell", 1))
                .output(Output::of_type("end", "Cell", 1)),
            "fn down() {
                if is_valid_down() {
                    let r = alloc_thread_down(1u); store_down_value(r, 0u, load_input_value() + 1u); complete_down(r);
                } else {
                    let r = alloc_thread_end(1u); store_end_value(r, 0u, load_input_value() + 1u); complete_end(r);
                }
            }",
        ))
        .node(node(
            Node::thread("end").input_type("Cell"),
            "fn end() { atomicAdd(&sums[0], load_input_value()); }",
        ))
        .build()
}

#[test]
pub(crate) fn depth_32_runs_and_33_is_refused() {
    let graph = deep(MAX_LEVELS).unwrap();
    assert_eq!(graph.levels(), 32);
    let values = bytes(&[0; 5]);
    check(
        &graph,
        &Settings::default(),
        &[CpuRecords::new("down", 5, &values)],
        |sums| {
            assert_eq!(sums[0], 5 * 31);
        },
    );
    let error = deep(MAX_LEVELS + 1).unwrap_err().to_string();
    assert!(error.contains("33 levels"), "{error}");
}

#[test]
pub(crate) fn records_of_32_kib() {
    let graph = Graph::builder("large records")
        .record(RecordType::new("Large").field("words", FieldType::U32.array(8192)))
        .node(node(
            Node::broadcasting("source", Grid::Fixed([3, 1, 1]), [64, 1, 1])
                .entry()
                .output(Output::of_type("sink", "Large", 1)),
            "fn source(group_id: vec3<u32>, local_index: u32) {
                let r = alloc_group_sink(1u);
                for (var i = local_index; i < 8192u; i += 64u) { store_sink_words(r, 0u, i, i + group_id.x); }
                complete_sink(r);
            }",
        ))
        .node(node(
            Node::coalescing("sink", 256, [256, 1, 1]).input_type("Large").entry(),
            "fn sink(local_index: u32, input_count: u32) {
                for (var record = 0u; record < input_count; record++) {
                    var sum = 0u;
                    for (var i = local_index; i < 8192u; i += 256u) { sum += load_input_words(record, i); }
                    atomicAdd(&sums[0], sum);
                }
            }",
        ))
        .build()
        .unwrap();
    let settings = Settings {
        input_records: 4,
        ..Default::default()
    };
    let words: Vec<u32> = (0..8192).collect();
    let host = bytes(&words);
    let inputs = [
        CpuRecords::new("source", 2, &[]),
        CpuRecords::new("sink", 1, &host),
    ];
    check(&graph, &settings, &inputs, |sums| {
        let sum: u32 = words.iter().sum();
        assert_eq!(sums[0], 7 * sum + 2 * 3 * 8192);
    });
}

/// Records that only the host creates may be larger than those that nodes send.
#[test]
pub(crate) fn fed_records_of_64_kib() {
    const WORDS: u32 = 16384;
    let sum = "var sum = 0u;
        for (var i = local_index; i < 16384u; i += 64u) { sum += load_input_words(INDEXi); }";
    let (of_record, of_group) = (sum.replace("INDEX", ""), sum.replace("INDEX", "record, "));
    let graph = Graph::builder("fed records")
        .record(RecordType::new("Large").field("words", FieldType::U32.array(WORDS)))
        .node(node(
            Node::broadcasting("grid", Grid::Fixed([2, 1, 1]), [64, 1, 1])
                .input_type_with("Large", InputAccess::Tracked)
                .entry(),
            &format!(
                "fn grid(local_index: u32) {{
                    {of_record}
                    atomicAdd(&sums[0], sum);
                    if finished_cross_group_sharing() && local_index == 0u {{ atomicAdd(&sums[1], 1u); }}
                }}"
            ),
        ))
        .node(node(
            Node::coalescing("some", 2, [64, 1, 1])
                .input_type("Large")
                .entry()
                .output(Output::empty_to("last", 2)),
            &format!(
                "fn some(local_index: u32, input_count: u32) {{
                    for (var record = 0u; record < input_count; record++) {{
                        {of_group}
                        atomicAdd(&sums[2], sum);
                    }}
                    count_group_last(input_count);
                }}"
            ),
        ))
        .node(node(
            Node::thread("last"),
            "fn last() { atomicAdd(&sums[3], 1u); }",
        ))
        .build()
        .unwrap();
    let settings = Settings {
        input_records: 3,
        ..Default::default()
    };
    let words: Vec<u32> = (0..3 * WORDS).collect();
    let records = bytes(&words);
    let inputs = [
        CpuRecords::new("grid", 3, &records),
        CpuRecords::new("some", 3, &records),
    ];
    let sum = words
        .iter()
        .fold(0, |sum: u32, word| sum.wrapping_add(*word));
    check(&graph, &settings, &inputs, |sums| {
        assert_eq!(sums[..4], [sum.wrapping_mul(2), 3, sum, 3]);
    });
}

/// Eight records and 128 bytes from each invocation of a thread node.
#[test]
pub(crate) fn thread_nodes_send_all_they_may() {
    let graph = Graph::builder("thread limit")
        .record(
            RecordType::new("Four")
                .field("a", FieldType::U32)
                .field("b", FieldType::U32.array(3)),
        )
        .node(node(
            Node::thread("source")
                .entry()
                .output(Output::of_type("sink", "Four", 8)),
            "fn source() {
                for (var i = 0u; i < 4u; i++) {
                    let r = alloc_thread_sink(2u);
                    store_sink_a(r, 0u, i);
                    store_sink_a(r, 1u, i + 4u);
                    store_sink_b(r, 0u, 2u, 1u);
                    store_sink_b(r, 1u, 2u, 1u);
                    complete_sink(r);
                }
            }",
        ))
        .node(node(
            Node::thread("sink").input_type("Four"),
            "fn sink() { atomicAdd(&sums[load_input_a()], load_input_b(2u)); }",
        ))
        .build()
        .unwrap();
    check(
        &graph,
        &Settings::default(),
        &[CpuRecords::new("source", 300, &[])],
        |sums| {
            assert_eq!(sums[..9], [300, 300, 300, 300, 300, 300, 300, 300, 0]);
        },
    );
}

#[test]
fn the_least_memory_is_enough_and_one_byte_less_is_refused() {
    let graph = deep(5).unwrap();
    let least = Plan::new(&graph, &PlanOptions::default())
        .unwrap()
        .minimum_bytes();
    let plan = |memory| {
        let options = PlanOptions::default().memory(memory);
        Plan::new(&graph, &options)
    };
    assert_eq!(plan(least).unwrap().bytes(), least);
    match plan(least - 1) {
        Err(PlanError::TooSmall { minimum, .. }) => assert_eq!(minimum, least),
        other => panic!("{other:?}"),
    }
}
