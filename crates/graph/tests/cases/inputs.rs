//! Inputs of every kind, small and large, from the host and from the device.

use anywarp_graph::device::{CpuRecords, DeviceRule};
use anywarp_graph::model::{FieldType, Scalar};
use anywarp_graph::plan::PlanOptions;
use anywarp_graph::{Graph, GraphError, GraphOptions, GraphRunner, Input, Node, RecordType};

use crate::cases::harness::{Bench, Memory, Settings, bytes, everywhere, node};
use crate::common::Gpu;

fn graph() -> Graph {
    Graph::builder("inputs")
        .record(
            RecordType::new("Pair")
                .field("place", FieldType::U32)
                .field("value", FieldType::U32),
        )
        .node(node(
            Node::thread("pairs").input_type("Pair").entry(),
            "fn pairs() { atomicAdd(&sums[load_input_place()], load_input_value()); }",
        ))
        .node(node(
            Node::coalescing("empty", 7, [1, 1, 1]).entry(),
            "fn empty(input_count: u32) { atomicAdd(&sums[9], input_count); }",
        ))
        .build()
        .unwrap()
}

fn benches(test: impl Fn(&Bench<'_>)) {
    everywhere("inputs", |gpu| {
        for memory in [Memory::Ample, Memory::Least] {
            let settings = Settings {
                memory,
                ..Default::default()
            };
            test(&Bench::new(gpu, &graph(), &settings));
        }
    });
}

#[test]
fn strides_of_the_host() {
    benches(|bench| {
        let padded = bytes(&[1, 10, 7, 7, 2, 20, 7, 7, 1, 30]);
        let mut records = CpuRecords::new("pairs", 3, &padded);
        records.stride = Some(16);
        assert_eq!(bench.run(&Input::Cpu(records.clone()))[..3], [0, 40, 20]);
        // One record for all.
        records.stride = Some(0);
        records.count = 1000;
        assert_eq!(bench.run(&Input::Cpu(records.clone()))[..3], [0, 10_000, 0]);
        // Too short, by one word, and a stride within a record.
        records.stride = Some(20);
        records.count = 3;
        assert!(matches!(
            bench.try_run(&Input::Cpu(records.clone())),
            Err(GraphError::Input { .. })
        ));
        records.stride = Some(4);
        assert!(matches!(
            bench.try_run(&Input::Cpu(records)),
            Err(GraphError::Input { .. })
        ));
    });
}

#[test]
fn several_inputs_of_the_host() {
    benches(|bench| {
        let first = bytes(&[0, 1, 1, 2]);
        let second = bytes(&[0, 3, 1, 4]);
        let inputs = [
            CpuRecords::new("pairs", 2, &first),
            CpuRecords::new("empty", 100, &[]),
            CpuRecords::new("pairs", 0, &[]),
            CpuRecords::new("pairs", 2, &second),
            CpuRecords::new("empty", 1, &[]),
        ];
        let sums = bench.run(&Input::MultiCpu(&inputs));
        assert_eq!((sums[0], sums[1], sums[9]), (4, 6, 101));
    });
}

/// The host writes records wherever their queues lie, near and far, whatever order they come in.
#[test]
fn entries_in_any_order() {
    let mut builder = Graph::builder("order")
        .record(RecordType::new("Pair").field("pair", FieldType::of(Scalar::U32, 2)));
    for name in ["a", "b", "c"] {
        let text = format!(
            "fn {name}() {{ let pair = load_input_pair(); atomicAdd(&sums[pair.x], pair.y); }}"
        );
        builder = builder.node(node(Node::thread(name).input_type("Pair").entry(), &text));
    }
    let graph = builder.build().unwrap();
    let [a, b, c] = [[0, 1, 1, 10], [2, 100, 0, 2], [3, 1000, 1, 20]].map(|words| bytes(&words));
    everywhere("order", |gpu| {
        // Queues of 32, 8,000 and 800,000 bytes.
        for input_records in [4, 1000, 100_000] {
            let settings = Settings {
                input_records,
                ..Default::default()
            };
            for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
                // An arena that does not contain any of the records yet.
                let bench = Bench::new(gpu, &graph, &settings);
                let inputs = [
                    CpuRecords::new("a", 2, &a),
                    CpuRecords::new("b", 2, &b),
                    CpuRecords::new("c", 2, &c),
                ];
                let inputs = order.map(|index: usize| inputs[index].clone());
                let sums = bench.run(&Input::MultiCpu(&inputs));
                assert_eq!(sums[..4], [3, 30, 100, 1000], "{order:?} on {}", gpu.name);
            }
        }
    });
}

/// A node may write the descriptor of the next run while its own is still being fed.
#[test]
fn descriptors_count_as_the_run_found_them() {
    let text = "fn a() {
        atomicAdd(&sums[8], load_input_value());
        atomicStore(&sums[1], NEXT);
    }";
    for next in [1, 10, 40] {
        let graph = Graph::builder("rewritten")
            .record(RecordType::new("Cell").field("value", FieldType::U32))
            .node(node(
                Node::thread("a").entry().input_type("Cell"),
                &text.replace("NEXT", &format!("{next}u")),
            ))
            .build()
            .unwrap();
        everywhere("descriptors", |gpu| {
            // The descriptor, and from word 8 on the sum.
            let sums = gpu.storage(&[0, 10, 0, 0, 4, 0, 0, 0, 0]);
            let (layout, group) = gpu.group(&sums);
            let options = GraphOptions {
                plan: PlanOptions::default().memory(12).input_records(3),
                bind_group_layouts: &[&layout],
                ..Default::default()
            };
            let runner = GraphRunner::new(&gpu.device, &gpu.queue, &graph, options);
            let runner = pollster::block_on(runner).unwrap();
            let records = gpu.storage(&[1; 10]);
            let input = Input::Gpu {
                descriptor: &sums,
                offset: 0,
                records: &[&records],
            };
            let report = pollster::block_on(runner.run(&input, &[&group])).unwrap();
            assert_eq!(report.sweeps, 4);
            assert_eq!(gpu.read(&sums)[8], 10, "{next} on {}", gpu.name);
        });
    }
}

#[test]
fn an_input_of_the_device() {
    benches(|bench| {
        let records = bench.gpu.storage(&[99, 99, 99, 1, 10, 0, 2, 20, 0, 3, 30]);
        let descriptor = bench.gpu.storage(&[5, 5, 0, 3, 0, 12, 12]);
        let records = [&records];
        let input = |offset| Input::Gpu {
            descriptor: &descriptor,
            offset,
            records: &records,
        };
        assert_eq!(bench.run(&input(8))[..4], [0, 10, 20, 30]);
        // The descriptor would not be aligned, or would reach past its buffer.
        for offset in [2, 12, u64::MAX] {
            assert!(
                matches!(bench.try_run(&input(offset)), Err(GraphError::Input { .. })),
                "{offset}"
            );
        }
        let empty = bench.gpu.storage(&[1, 50, 77, 3, 3]);
        let empty = Input::Gpu {
            descriptor: &empty,
            offset: 0,
            records: &[],
        };
        assert_eq!(bench.run(&empty)[9], 50);
    });
}

#[test]
fn several_inputs_of_the_device_up_to_the_cap() {
    benches(|bench| {
        let a = bench.gpu.storage(&[1, 10, 2, 20]);
        let b = bench.gpu.storage(&[3, 30]);
        let words = [
            4, 0, 2, 0, 0, 8, 1, 5, 0, 0, 0, 0, 100, 1, 0, 0, 0, 1, 0, 8, 8,
        ];
        let descriptors = bench.gpu.storage(&words);
        let records = [&a, &b];
        let input = |cap| Input::MultiGpu {
            descriptors: &descriptors,
            offset: 0,
            records: &records,
            cap,
        };
        let sums = bench.run(&input(4));
        assert_eq!(sums[..4], [0, 10, 40, 3000]);
        assert_eq!(sums[9], 5);
        // One more than the cap allows is counted: an error that says so.
        let faults = bench.faults(&input(3));
        let fault = &faults.faults[0];
        assert_eq!(fault.rule, DeviceRule::InputCap);
        assert_eq!((fault.found, fault.allowed), (4, 3));
        let message = faults.to_string();
        assert!(
            message.contains("the inputs: counts more inputs than the upper bound"),
            "{message}"
        );
        // The inputs within the cap ran once anyway.
        let sums = bench.take();
        assert!(sums[3] <= 3000 && sums[2] <= 20, "{sums:?}");
        // More than the buffer holds, or than the runner was made for.
        for cap in [5, 257] {
            assert!(matches!(
                bench.try_run(&input(cap)),
                Err(GraphError::Input { .. })
            ));
        }
    });
}

/// More records than one binding of the device holds need several buffers.
#[test]
fn an_input_larger_than_a_binding() {
    let gpu = Gpu::with_bindings_of(64 << 10);
    let count = 40_000;
    let pairs: Vec<u32> = (0..count).flat_map(|value| [value % 5, value]).collect();
    let pairs = bytes(&pairs);
    assert!(pairs.len() > 4 * (64 << 10));
    let bench = Bench::new(&gpu, &graph(), &Settings::default());
    assert!(bench.runner.plan().bytes() <= 64 << 10);
    let sums = bench.run(&Input::Cpu(CpuRecords::new("pairs", count, &pairs)));
    for place in 0..5 {
        let expected: u32 = (0..count).filter(|value| value % 5 == place).sum();
        assert_eq!(sums[place as usize], expected);
    }
}
