//! Work that was held back resumes deepest level first.

use anywarp_graph::device::{CpuRecords, Step};
use anywarp_graph::model::FieldType;
use anywarp_graph::{Graph, Input, Node, Output, RecordType};
use pollster::block_on;

use crate::cases::harness::{Bench, Memory, Settings, everywhere, node};

/// A log of launches, in order, from the second word on; the first counts them.
const NEAR: u32 = 1;
const DEEP: u32 = 2;

/// At level 0 `near` can launch once in a sweep, and so can at level 1 `deep`: there is room for what one
/// launch sends. Both write down that they ran. `top` gives `deep` eight records at a time.
fn graph() -> Graph {
    let near = format!(
        "fn near() {{
            atomicStore(&sums[1u + atomicAdd(&sums[0], 1u)], {NEAR}u);
            let r = alloc_thread_near_end(1u);
            store_near_end_value(r, 0u, 1u);
            complete_near_end(r);
        }}"
    );
    let deep = format!(
        "fn deep() {{
            atomicStore(&sums[1u + atomicAdd(&sums[0], 1u)], {DEEP}u);
            let r = alloc_thread_bottom(4u);
            complete_bottom(r);
        }}"
    );
    Graph::builder("deepest first")
        .record(RecordType::new("Cell").field("value", FieldType::U32))
        .node(node(
            Node::thread("near")
                .entry()
                .output(Output::of_type("near_end", "Cell", 1)),
            &near,
        ))
        .node(node(
            Node::thread("near_end").input_type("Cell"),
            "fn near_end() {}",
        ))
        .node(node(
            Node::thread("top")
                .entry()
                .output(Output::of_type("deep", "Cell", 8)),
            "fn top() { let r = alloc_thread_deep(8u); complete_deep(r); }",
        ))
        .node(node(
            Node::thread("deep")
                .input_type("Cell")
                .output(Output::of_type("bottom", "Cell", 4)),
            &deep,
        ))
        .node(node(
            Node::thread("bottom").input_type("Cell"),
            "fn bottom() {}",
        ))
        .build()
        .unwrap()
}

fn settings() -> Settings {
    Settings {
        memory: Memory::Least,
        words: 256,
        checked: false,
        ..Default::default()
    }
}

/// Empty records take no memory, so that all of them are in the queues from the beginning.
fn inputs() -> [CpuRecords<'static>; 2] {
    [
        CpuRecords::new("near", 40, &[]),
        CpuRecords::new("top", 3, &[]),
    ]
}

/// All work of `deep` runs before any at level 0 does.
fn expected() -> Vec<u32> {
    let cycle = [[NEAR].as_slice(), &[DEEP; 8]].concat();
    [cycle.repeat(3), vec![NEAR; 37]].concat()
}

#[test]
fn deeper_work_that_was_held_back_goes_first() {
    let graph = graph();
    everywhere("deepest first", |gpu| {
        let bench = Bench::new(gpu, &graph, &settings());
        let records = inputs();
        let input = Input::MultiCpu(&records);
        let look = |how: &str| {
            let words = bench.take();
            let count = words[0] as usize;
            assert_eq!(words[1..=count], expected(), "{how} on {}", gpu.name);
        };
        let report = bench.try_run(&input).unwrap();
        look("run");
        // A sweep for each launch of `deep`, and for each of `near` that no launch of `deep` follows.
        assert_eq!(report.sweeps, 24 + 37, "{}", gpu.name);

        let groups = [&bench.group];
        let (traced, trace) = block_on(bench.runner.trace(&input, &groups)).unwrap();
        look("trace");
        assert_eq!(
            (traced.sweeps, &traced.stages),
            (report.sweeps, &report.stages)
        );
        for (stage, counts) in report.stages.iter().enumerate() {
            let spans = trace.spans.iter().filter(|span| span.stage == Some(stage));
            let records: u64 = spans.map(|span| span.counts.records_in).sum();
            assert_eq!(records, counts.records_in, "stage {stage} on {}", gpu.name);
        }
        let levels = trace.spans.iter().filter(|span| span.sweep == 1);
        let levels: Vec<_> = levels.filter_map(|span| span.level).collect();
        assert_eq!(levels.first(), Some(&1), "{levels:?} on {}", gpu.name);

        let mut steps = block_on(bench.runner.step(&input, &groups)).unwrap();
        let (mut sweeps, mut resumed) = (0, 0);
        while let Some(step) = block_on(steps.advance()).unwrap() {
            match step {
                Step::SweepResumed { level, .. } => {
                    assert_eq!(level, 1);
                    resumed += 1;
                }
                Step::SweepEnded { .. } => sweeps += 1,
                _ => {}
            }
        }
        drop(steps);
        look("steps");
        assert_eq!((sweeps, resumed), (report.sweeps, 21), "{}", gpu.name);
    });
}
