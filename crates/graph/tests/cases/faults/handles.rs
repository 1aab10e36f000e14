//! Open handles of output records, and whether every workgroup finishes its shared input.

use anywarp_graph::device::{CpuRecords, DeviceRule, SharedArena};
use anywarp_graph::model::{Grid, InputAccess};
use anywarp_graph::{GraphError, Input, Node, Output};

use super::{Expected, RECORDS, WITNESS, builder, graph, in_both, misuse, records, settings};
use crate::cases::harness::{Bench, everywhere};

/// Each handle is tracked separately, whatever else is open.
#[test]
fn handles_are_told_apart() {
    let two = "let a = alloc_thread_many(0u, 1u); store_many_value(a, 0u, 9u);
         let b = alloc_thread_many(0u, 1u); store_many_value(b, 0u, 9u);
         complete_many(a);";
    let expected = Expected {
        rule: DeviceRule::CompletedTwice,
        output: Some("many"),
        found: 0,
        allowed: 0,
        message: "node `bad`, record 3, output `many`: completed records that were not allocated or already completed (found 0, allowed 0)",
    };
    in_both(
        &format!("{two} if value == 3u {{ complete_many(a); }} complete_many(b);"),
        &expected,
    );
    let expected = Expected {
        rule: DeviceRule::AfterComplete,
        message: "node `bad`, record 3, output `many`: used output records after it completed them (found 0, allowed 0)",
        ..expected
    };
    in_both(
        &format!("{two} if value == 3u {{ store_many_value(a, 0u, 8u); }} complete_many(b);"),
        &expected,
    );
}

/// A handle that is completed twice does not count for another that was never completed.
#[test]
fn one_twice_and_another_never() {
    let text = format!(
        "{WITNESS}fn bad() {{
            let value = load_input_value();
            witness(value);
            let a = alloc_thread_many(0u, 1u); store_many_value(a, 0u, 9u);
            let b = alloc_thread_many(0u, 1u); store_many_value(b, 0u, 9u);
            complete_many(a);
            if value == 3u {{ complete_many(a); }} else {{ complete_many(b); }}
        }}"
    );
    let graph = graph(Node::thread("bad"), &text);
    everywhere("one twice and another never", |gpu| {
        let bench = Bench::new(gpu, &graph, &settings(true, None));
        let values = records(0);
        let error = bench.try_run(&Input::Cpu(CpuRecords::new("bad", RECORDS, &values)));
        let Err(GraphError::Faults(faults)) = error else {
            panic!("{error:?} on {}", gpu.name);
        };
        let rules: Vec<_> = faults.faults.iter().map(|fault| fault.rule).collect();
        assert_eq!(rules, [DeviceRule::CompletedTwice, DeviceRule::Incomplete]);
        assert!(faults.faults.iter().all(|fault| fault.record == 3));
    });
}

/// As many allocations as a launch can have, all open together: more than fit one word.
#[test]
fn many_handles_at_once() {
    let text = "fn bad(local_index: u32) {
        if local_index == 1u {
            var all: array<Records_to, 70>;
            for (var i = 0u; i < 70u; i++) { all[i] = alloc_thread_to(1u); }
            for (var i = 0u; i < 70u; i++) { store_to_value(all[i], 0u, i % 10u); complete_to(all[i]); }
        }
    }";
    let node = |bad: Node, text| crate::cases::harness::node(bad.input_type("Cell"), text);
    let bad = Node::coalescing("bad", 8, [4, 1, 1]).entry();
    let bad = bad.output(Output::of_type("to", "Cell", 70));
    let to = "fn to() { atomicAdd(&sums[load_input_value()], 1u); }";
    let graph = builder().node(node(bad, text));
    let graph = graph.node(node(Node::thread("to"), to)).build().unwrap();
    everywhere("many handles at once", |gpu| {
        let bench = Bench::new(gpu, &graph, &settings(true, None));
        let values = records(0);
        let sums = bench.run(&Input::Cpu(CpuRecords::new("bad", RECORDS, &values)));
        assert_eq!(sums[..11], [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 0]);
    });
}

#[test]
fn never_finished() {
    let text = format!(
        "{WITNESS}fn bad(local_index: u32) {{
            let value = uniform_input_value();
            if local_index == 0u {{ witness(value); }}
            if value != 3u {{ let last = finished_cross_group_sharing(); }}
        }}"
    );
    let bad = Node::broadcasting("bad", Grid::Fixed([1, 1, 1]), [4, 1, 1])
        .input_type_with("Cell", InputAccess::Tracked);
    let expected = Expected {
        rule: DeviceRule::NeverFinished,
        output: None,
        found: 0,
        allowed: 1,
        message: "node `bad`, record 3: did not call finished_cross_group_sharing (found 0, allowed 1)",
    };
    misuse(&graph(bad, &text), &records(0), &expected);
}

/// A workgroup that is not the last one has no input any more; the last one has it.
#[test]
fn after_finished() {
    let text = format!(
        "{WITNESS}fn bad(group_id: vec3<u32>, local_index: u32) {{
            let value = uniform_input_value();
            if group_id.x == 0u && local_index == 0u {{ witness(value); }}
            let is_last = finished_cross_group_sharing();
            if is_last || value == 3u {{
                if local_index == 0u {{ let again = load_input_value(); }}
            }}
        }}"
    );
    let bad = Node::broadcasting("bad", Grid::Fixed([2, 1, 1]), [4, 1, 1])
        .input_type_with("Cell", InputAccess::Tracked);
    let expected = Expected {
        rule: DeviceRule::AfterFinished,
        output: None,
        found: 0,
        allowed: 0,
        message: "node `bad`, record 3: used its input after finished_cross_group_sharing returned false (found 0, allowed 0)",
    };
    misuse(&graph(bad, &text), &records(0), &expected);
}

/// Data of other graphs in the arena is not visible in fields that were not stored.
#[test]
fn fields_that_are_not_stored_are_zero() {
    let by_thread = |value: &str| {
        let store =
            format!("store_witness_value(r, 0u, {value}); store_witness_list(r, 0u, 2u, 7u);");
        let store = if value.is_empty() { "" } else { &store };
        format!("fn bad() {{ let r = alloc_thread_witness(1u); {store} complete_witness(r); }}")
    };
    let by_group = |value: &str| by_thread(value).replace("alloc_thread", "alloc_group");
    let group = Node::broadcasting("bad", Grid::Fixed([1, 1, 1]), [4, 1, 1]);
    /// A text around a body.
    type Around<'a> = &'a dyn Fn(&str) -> String;
    let cases: [(Node, Around<'_>); 2] = [(Node::thread("bad"), &by_thread), (group, &by_group)];
    everywhere("fields that are not stored", |gpu| {
        for (node, text) in &cases {
            let shared = SharedArena::new(&gpu.device, &gpu.queue);
            let values = records(0);
            let run = |text: &str| {
                let graph = graph(node.clone(), text);
                let bench = Bench::new(gpu, &graph, &settings(true, Some(&shared)));
                bench.run(&Input::Cpu(CpuRecords::new("bad", RECORDS, &values)))
            };
            let stored = run(&text("5u"));
            assert_eq!(stored[..6], [0, 0, 0, 0, 0, RECORDS], "{}", gpu.name);
            let left = run(&text(""));
            assert_eq!(left[..6], [RECORDS, 0, 0, 0, 0, 0], "{}", gpu.name);
        }
    });
}
