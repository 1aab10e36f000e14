//! Every rule that is checked on the device. In checked mode a violation is a named error with node
//! and record. In the other mode the graph completes, and neither it nor the next has lost or
//! damaged anything.
//!
//! `DeviceRule::Overflow` is missing: no node code can provoke it, since budgets hold in both
//! modes.

mod handles;

use anywarp_graph::device::{CpuRecords, DeviceFault, DeviceRule, LocalArguments, SharedArena};
use anywarp_graph::model::{FieldType, Grid, InputAccess, Scalar, Target};
use anywarp_graph::{Graph, GraphBuilder, GraphError, Input, Node, Output, RecordType};

use crate::cases::harness::{Bench, Settings, bytes, everywhere, is_collected, node};
use crate::common::Gpu;

/// An expected fault.
struct Expected {
    rule: DeviceRule,
    /// The record with the value 3 is the one that breaks the rule.
    output: Option<&'static str>,
    found: u32,
    allowed: u32,
    message: &'static str,
}

/// How many records each graph gets, and how many witnesses it must have: one a record.
pub(crate) const RECORDS: u32 = 8;

/// A graph of the node `bad`, the array `many` without the members 1 and 2, and a witness.
pub(crate) fn graph(bad: Node, text: &str) -> Graph {
    builder()
        .node(node(
            bad.input_or("Cell")
                .entry()
                .output(Output::of_type("witness", "Cell", 1))
                .output(Output::of_type("many", "Cell", 4).array(Target::Sparse {
                    name: "many".into(),
                    size: 4,
                })),
            text,
        ))
        .node(node(
            Node::thread("witness").input_type("Cell"),
            "fn witness() { atomicAdd(&sums[load_input_value()], 1u); }",
        ))
        .node(many(0))
        .node(many(3))
        .build()
        .unwrap()
}

fn builder() -> GraphBuilder {
    Graph::builder("misuse").record(
        RecordType::new("Cell")
            .field("value", FieldType::U32)
            .grid("grid", FieldType::of(Scalar::U16, 2))
            .field("list", FieldType::U16.array(3)),
    )
}

fn many(index: u32) -> Node {
    node(
        Node::thread(("many", index))
            .input_type("Cell")
            .function("many"),
        "fn many() { atomicAdd(&sums[32u + load_input_value()], 1u); }",
    )
}

trait InputOr {
    fn input_or(self, record: &str) -> Self;
}

impl InputOr for Node {
    fn input_or(self, record: &str) -> Self {
        if self.input.is_some() {
            self
        } else {
            self.input_type(record)
        }
    }
}

/// The records: values from 0 on, a grid of 1x1 except where `grid` says otherwise for the third.
pub(crate) fn records(grid: u32) -> Vec<u8> {
    let record = |value| [value, if value == 3 { grid } else { 0x0001_0001 }, 0, 0];
    bytes(&(0..RECORDS).flat_map(record).collect::<Vec<_>>())
}

pub(crate) fn settings(checked: bool, shared: Option<&SharedArena>) -> Settings {
    Settings {
        checked,
        shared: shared.cloned(),
        local: LocalArguments {
            bytes: vec![7; 64],
            stride: 8,
        },
        ..Default::default()
    }
}

/// Runs a misuse in both modes.
fn misuse(graph: &Graph, records: &[u8], expected: &Expected) {
    if is_collected(graph, &settings(true, None)) {
        return;
    }
    everywhere("misuse", |gpu| {
        let shared = SharedArena::new(&gpu.device, &gpu.queue);
        let input = Input::Cpu(CpuRecords::new("bad", RECORDS, records));
        let bench = Bench::new(gpu, graph, &settings(true, Some(&shared)));
        let faults = bench.faults(&input);
        let is_it = |fault: &&DeviceFault| fault.rule == expected.rule;
        let fault = faults.faults.iter().find(is_it);
        let fault = fault.unwrap_or_else(|| panic!("{:?}: {faults}", expected.rule));
        assert_eq!(fault.node, Some("bad".into()), "{fault}");
        assert_eq!(fault.record, 3, "{fault}");
        assert_eq!(fault.output.as_deref(), expected.output, "{fault}");
        assert_eq!(
            (fault.found, fault.allowed),
            (expected.found, expected.allowed),
            "{fault}"
        );
        assert_eq!(fault.to_string(), expected.message);
        assert!(
            faults
                .faults
                .iter()
                .all(|fault| fault.rule == expected.rule),
            "{faults:?}"
        );
        harmless(gpu, graph, &input, &shared);
    });
}

/// Unchecked: the graph completes, every witness exists except perhaps that of the offending
/// record, and the next run is correct.
fn harmless(gpu: &Gpu, graph: &Graph, input: &Input<'_>, shared: &SharedArena) {
    let bench = Bench::new(gpu, graph, &settings(false, Some(shared)));
    match bench.try_run(input) {
        Ok(_) | Err(GraphError::Faults(_)) => {}
        Err(error) => panic!("on {}: {error}", gpu.name),
    }
    let sums = bench.take();
    for (value, &count) in sums.iter().enumerate().take(RECORDS as usize) {
        assert!(
            count == 1 || value == 3 && count == 0,
            "{sums:?} on {}",
            gpu.name
        );
    }
    let bench = Bench::new(gpu, &good(), &settings(true, Some(shared)));
    let values = records(0);
    let sums = bench.run(&Input::Cpu(CpuRecords::new("bad", RECORDS, &values)));
    assert_witnessed(&sums);
    assert!(sums[32..].iter().all(|&sum| sum == 0), "{sums:?}");
}

/// Every record has a witness, and no other.
pub(crate) fn assert_witnessed(sums: &[u32]) {
    assert_eq!(sums[..9], [1, 1, 1, 1, 1, 1, 1, 1, 0]);
}

/// A graph that breaks no rule.
pub(crate) fn good() -> Graph {
    graph(
        Node::thread("bad"),
        &format!("{WITNESS}fn bad() {{ witness(load_input_value()); }}"),
    )
}

/// Sends a witness.
pub(crate) const WITNESS: &str = "fn witness(value: u32) {
    let r = alloc_thread_witness(1u);
    store_witness_value(r, 0u, value);
    complete_witness(r);
}
";

/// Thread and coalescing nodes, of one record a workgroup, with the same body.
fn in_both(body: &str, expected: &Expected) {
    let text = format!(
        "{WITNESS}fn bad() {{\n let value = load_input_value();\n witness(value);\n {body}\n}}"
    );
    misuse(&graph(Node::thread("bad"), &text), &records(0), expected);
    let text = format!(
        "{WITNESS}fn bad(local_index: u32) {{\n let value = load_input_value(0u);\n \
         if local_index == 0u {{ witness(value);\n {body}\n }} }}"
    );
    misuse(
        &graph(Node::coalescing("bad", 1, [4, 1, 1]), &text),
        &records(0),
        expected,
    );
}

#[test]
pub(crate) fn budget() {
    let expected = Expected {
        rule: DeviceRule::Budget,
        output: Some("many"),
        found: 5,
        allowed: 4,
        message: "node `bad`, record 3, output `many`: sent more records than its budget (found 5, allowed 4)",
    };
    in_both(
        "let n = select(2u, 3u, value == 3u);
         let a = alloc_thread_many(0u, 2u); store_many_value(a, 1u, 9u); store_many_value(a, 0u, 9u); complete_many(a);
         let b = alloc_thread_many(3u, n); store_many_value(b, 0u, 9u); store_many_value(b, 1u, 9u); complete_many(b);",
        &expected,
    );
    // So large that a sum would wrap around.
    let expected = Expected {
        found: u32::MAX,
        message: "node `bad`, record 3, output `many`: sent more records than its budget (found 4294967295, allowed 4)",
        ..expected
    };
    in_both(
        "let n = select(0u, 0xffffffffu, value == 3u);
         let a = alloc_thread_many(0u, n); complete_many(a);",
        &expected,
    );
}

#[test]
pub(crate) fn hole() {
    for index in [1, 4, u32::MAX] {
        let message = format!(
            "node `bad`, record 3, output `many`: sent records to a missing node (check with `is_valid`) (found {index}, allowed 4)"
        );
        let expected = Expected {
            rule: DeviceRule::Hole,
            output: Some("many"),
            found: index,
            allowed: 4,
            message: message.leak(),
        };
        in_both(
            &format!(
                "let a = alloc_thread_many(select(0u, {index}u, value == 3u), 1u);
                 store_many_value(a, 0u, 9u); complete_many(a);"
            ),
            &expected,
        );
    }
}

/// The end of a recursion is a hole, too.
#[test]
fn past_the_end_of_a_recursion() {
    let graph = builder()
        .node(node(
            Node::thread("bad")
                .input_type("Cell")
                .entry()
                .recursion(1)
                .output(Output::of_type("bad", "Cell", 1).named("again")),
            "fn bad() {
                if remaining_recursion_levels() == 1u { atomicAdd(&sums[load_input_value()], 1u); }
                let again = remaining_recursion_levels() == 1u || load_input_value() == 3u;
                let r = alloc_thread_again(u32(again));
                if again { store_again_value(r, 0u, load_input_value()); }
                complete_again(r);
            }",
        ))
        .build()
        .unwrap();
    everywhere("the end of a recursion", |gpu| {
        let shared = SharedArena::new(&gpu.device, &gpu.queue);
        let bench = Bench::new(gpu, &graph, &settings(true, Some(&shared)));
        let values = records(0);
        let input = Input::Cpu(CpuRecords::new("bad", RECORDS, &values));
        let error = bench.try_run(&input).unwrap_err().to_string();
        let start = "graph `misuse`: node `bad`, recursion step 1, record ";
        let end = ", output `again`: sent records to a missing node (check with `is_valid`) (found 0, allowed 1)";
        assert!(error.starts_with(start) && error.ends_with(end), "{error}");
        harmless(gpu, &graph, &input, &shared);
    });
}

#[test]
pub(crate) fn grid() {
    let bad = Node::broadcasting("bad", Grid::Dynamic { max: [4, 2, 1] }, [2, 1, 1]);
    let text = format!(
        "{WITNESS}fn bad(local_index: u32) {{ if local_index == 1u {{ witness(load_input_value()); }} }}"
    );
    let mut expected = Expected {
        rule: DeviceRule::Grid,
        output: None,
        found: 5,
        allowed: 4,
        message: "node `bad`, record 3: has a grid larger than the maximum (found 5, allowed 4)",
    };
    misuse(&graph(bad.clone(), &text), &records(0x0001_0005), &expected);
    expected.found = 0xffff;
    expected.allowed = 2;
    expected.message =
        "node `bad`, record 3: has a grid larger than the maximum (found 65535, allowed 2)";
    misuse(&graph(bad, &text), &records(0xffff_0001), &expected);
}

#[test]
pub(crate) fn output_index() {
    let expected = |found, message| Expected {
        rule: DeviceRule::OutputIndex,
        output: Some("many"),
        found,
        allowed: 2,
        message,
    };
    in_both(
        "let a = alloc_thread_many(0u, 2u); store_many_value(a, 1u, 9u);
         store_many_value(a, select(0u, 2u, value == 3u), 9u); complete_many(a);",
        &expected(
            2,
            "node `bad`, record 3, output `many`: used an output record beyond those it allocated (found 2, allowed 2)",
        ),
    );
    in_both(
        "let a = alloc_thread_many(0u, 2u); store_many_value(a, 0u, 9u); store_many_value(a, 1u, 9u);
         store_many_value(a, 0u, 9u + load_many_value(a, select(0u, 0x40000000u, value == 3u))); complete_many(a);",
        &expected(
            0x4000_0000,
            "node `bad`, record 3, output `many`: used an output record beyond those it allocated (found 1073741824, allowed 2)",
        ),
    );
}

#[test]
pub(crate) fn input_index() {
    let text = format!(
        "{WITNESS}fn bad(local_index: u32, input_count: u32) {{
            let value = load_input_value(0u);
            if local_index == 0u {{ witness(value); }}
            if local_index == 3u && value == 3u {{
                store_input_value(input_count, 1u + load_input_value(0u));
            }}
        }}"
    );
    let bad = Node::coalescing("bad", 1, [4, 1, 1]).input_type_with("Cell", InputAccess::ReadWrite);
    let expected = Expected {
        rule: DeviceRule::InputIndex,
        output: None,
        found: 1,
        allowed: 1,
        message: "node `bad`, record 3: used an input record beyond those it received (found 1, allowed 1)",
    };
    misuse(&graph(bad, &text), &records(0), &expected);
}

#[test]
pub(crate) fn element() {
    let expected = Expected {
        rule: DeviceRule::Element,
        output: Some("many"),
        found: 3,
        allowed: 3,
        message: "node `bad`, record 3, output `many`: used an element beyond the end of an array field (found 3, allowed 3)",
    };
    in_both(
        "let a = alloc_thread_many(0u, 1u); store_many_value(a, 0u, 9u);
         store_many_list(a, 0u, select(2u, 3u, value == 3u), 9u); complete_many(a);",
        &expected,
    );
    let text = format!(
        "{WITNESS}fn bad() {{
            witness(load_input_value() + load_input_list(select(0u, 3000000000u, load_input_value() == 3u)));
        }}"
    );
    let expected = Expected {
        output: None,
        found: 3_000_000_000,
        message: "node `bad`, record 3: used an element beyond the end of an array field (found 3000000000, allowed 3)",
        ..expected
    };
    misuse(&graph(Node::thread("bad"), &text), &records(0), &expected);
}

#[test]
pub(crate) fn incomplete() {
    let expected = Expected {
        rule: DeviceRule::Incomplete,
        output: None,
        found: 1,
        allowed: 0,
        message: "node `bad`, record 3: allocated records and did not complete them (found 1, allowed 0)",
    };
    in_both(
        "let a = alloc_thread_many(0u, 1u); store_many_value(a, 0u, 9u); if value != 3u { complete_many(a); }",
        &expected,
    );
}

#[test]
pub(crate) fn completed_twice() {
    let expected = Expected {
        rule: DeviceRule::CompletedTwice,
        output: Some("many"),
        found: 0,
        allowed: 0,
        message: "node `bad`, record 3, output `many`: completed records that were not allocated or already completed (found 0, allowed 0)",
    };
    in_both(
        "let a = alloc_thread_many(0u, 1u); store_many_value(a, 0u, 9u);
         if value == 3u { complete_many(a); }
         complete_many(a);",
        &expected,
    );
}

#[test]
pub(crate) fn not_uniform() {
    let text = |call: &str| {
        format!(
            "{WITNESS}fn bad(local_index: u32) {{
                let value = load_input_value();
                if local_index == 0u {{ witness(value); }}
                let odd = u32(value == 3u && local_index == 2u);
                let a = alloc_group_many({call});
                store_many_value(a, 0u, 9u);
                complete_many(a);
            }}"
        )
    };
    let bad = Node::broadcasting("bad", Grid::Fixed([1, 1, 1]), [4, 1, 1]);
    let mut expected = Expected {
        rule: DeviceRule::NotUniform,
        output: Some("many"),
        found: 2,
        allowed: 1,
        message: "node `bad`, record 3, output `many`: called a group function with different arguments in one workgroup (found 2, allowed 1)",
    };
    misuse(
        &graph(bad.clone(), &text("0u, 1u + odd")),
        &records(0),
        &expected,
    );
    expected.found = 3;
    expected.allowed = 0;
    expected.message = "node `bad`, record 3, output `many`: called a group function with different arguments in one workgroup (found 3, allowed 0)";
    misuse(&graph(bad, &text("3u * odd, 1u")), &records(0), &expected);
}

#[test]
pub(crate) fn finished_twice() {
    let text = format!(
        "{WITNESS}fn bad(local_index: u32) {{
            let value = uniform_input_value();
            if local_index == 0u {{ witness(value); }}
            if value == 3u {{ let first = finished_cross_group_sharing(); }}
            let last = finished_cross_group_sharing();
        }}"
    );
    let bad = Node::broadcasting("bad", Grid::Fixed([1, 1, 1]), [4, 1, 1])
        .input_type_with("Cell", InputAccess::Tracked);
    let expected = Expected {
        rule: DeviceRule::FinishedTwice,
        output: None,
        found: 2,
        allowed: 1,
        message: "node `bad`, record 3: called finished_cross_group_sharing more than once (found 2, allowed 1)",
    };
    misuse(&graph(bad, &text), &records(0), &expected);
}

#[test]
pub(crate) fn local_argument() {
    let expected = Expected {
        rule: DeviceRule::LocalArgument,
        output: None,
        found: 2,
        allowed: 2,
        message: "node `bad`, record 3: read a local argument beyond its row (found 2, allowed 2)",
    };
    in_both(
        "if local_argument_u32(select(1u, 2u, value == 3u)) == 1u { witness(value); }",
        &expected,
    );
}

/// Exactly as much as there is: no fault.
#[test]
fn limits_met_exactly_are_no_faults() {
    let text = format!(
        "{WITNESS}fn bad() {{
            witness(load_input_value() + load_input_list(2u));
            let a = alloc_thread_many(0u, 3u);
            for (var i = 0u; i < 3u; i++) {{ store_many_value(a, i, 0u); store_many_list(a, i, 2u, 1u); }}
            complete_many(a);
            let b = alloc_thread_many(3u, 1u); store_many_value(b, 0u, 0u); complete_many(b);
            let c = alloc_thread_many(2u, 0u); complete_many(c);
            if local_argument_u32(1u) == 0u {{ witness(0u); }}
        }}"
    );
    let graph = graph(Node::thread("bad"), &text);
    everywhere("limits met exactly", |gpu| {
        let shared = SharedArena::new(&gpu.device, &gpu.queue);
        let bench = Bench::new(gpu, &graph, &settings(true, Some(&shared)));
        let values = records(0);
        let sums = bench.run(&Input::Cpu(CpuRecords::new("bad", RECORDS, &values)));
        assert_eq!(sums[..9], [1, 1, 1, 1, 1, 1, 1, 1, 0]);
        assert_eq!(sums[32], 4 * RECORDS);
    });
}
