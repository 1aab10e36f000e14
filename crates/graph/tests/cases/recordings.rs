//! Runs in the user's own submissions. Every other case with enough memory is recorded, too.

use anywarp_graph::device::{Checks, CpuRecords};
use anywarp_graph::model::FieldType;
use anywarp_graph::plan::PlanOptions;
use anywarp_graph::{
    Graph, GraphError, GraphOptions, GraphRunner, Input, Node, Output, RecordType,
};

use crate::cases::harness::{Bench, Memory, Settings, bytes, everywhere, node};
use crate::common::{Gpu, chain};

/// Each record is sent on twice, to a node that adds its value to its place.
fn graph() -> Graph {
    Graph::builder("recorded")
        .record(
            RecordType::new("Pair")
                .field("place", FieldType::U32)
                .field("value", FieldType::U32),
        )
        .node(node(
            Node::thread("twice")
                .input_type("Pair")
                .entry()
                .output(Output::of_type("add", "Pair", 2)),
            "fn twice() {
                let r = alloc_thread_add(2u);
                for (var i = 0u; i < 2u; i++) {
                    store_add_place(r, i, load_input_place());
                    store_add_value(r, i, load_input_value());
                }
                complete_add(r);
            }",
        ))
        .node(node(
            Node::thread("add").input_type("Pair"),
            "fn add() { atomicAdd(&sums[load_input_place()], load_input_value()); }",
        ))
        .build()
        .unwrap()
}

#[test]
fn each_recorded_run_begins_anew() {
    everywhere("recordings", |gpu| {
        let bench = Bench::new(gpu, &graph(), &Settings::default());
        let (first, second) = (bytes(&[0, 1, 1, 10]), bytes(&[2, 100, 1, 1000, 3, 5]));
        let [first, second] = [(2, &first), (3, &second)]
            .map(|(count, bytes)| Input::Cpu(CpuRecords::new("twice", count, bytes)));
        let recordings = [&first, &second]
            .map(|input| pollster::block_on(bench.runner.recording(input)).unwrap());
        let groups = [&bench.group];
        bench.submit(|encoder| {
            for recording in [0, 0, 1, 0] {
                recordings[recording].record(encoder, &groups).unwrap();
            }
        });
        // A run of another kind comes in between, with another buffer.
        bench.try_run(&second).unwrap();
        bench.submit(|encoder| recordings[1].record(encoder, &groups).unwrap());
        for (recording, records) in recordings.iter().zip([2, 3]) {
            let report = pollster::block_on(recording.outcome()).unwrap();
            assert_eq!(report.sweeps, 1);
            let counts = report.stages.iter().map(|stage| stage.records_in);
            assert!(counts.eq([records, 2 * records]), "{}", gpu.name);
        }
        let sums = bench.take();
        assert_eq!(sums[..4], [6, 60 + 6000, 600, 30], "{}", gpu.name);
    });
}

#[test]
fn inputs_of_the_device_are_those_of_the_moment() {
    everywhere("recordings", |gpu| {
        let bench = Bench::new(gpu, &graph(), &Settings::default());
        let (near, small) = (gpu.storage(&[0, 1, 1, 10]), gpu.storage(&[0; 2]));
        let descriptor = gpu.storage(&[0, 1, 0, 0, 8]);
        let (one, two) = ([&near], [&small, &small]);
        let input = |records| Input::Gpu {
            descriptor: &descriptor,
            offset: 0,
            records,
        };
        let recording = pollster::block_on(bench.runner.recording(&input(&one))).unwrap();
        bench.submit(|encoder| recording.record(encoder, &[&bench.group]).unwrap());
        assert_eq!(bench.take()[..2], [2, 0]);
        // A run with smaller buffers, whose sizes must not persist.
        bench.try_run(&input(&two)).unwrap();
        bench.take();
        let words: &[u32] = &[0, 2, 0, 0, 8];
        gpu.queue
            .write_buffer(&descriptor, 0, bytemuck::cast_slice(words));
        bench.submit(|encoder| recording.record(encoder, &[&bench.group]).unwrap());
        assert_eq!(bench.take()[..2], [2, 20], "{}", gpu.name);
        let report = pollster::block_on(recording.outcome()).unwrap();
        assert_eq!(report.stages[0].records_in, 2);
    });
}

/// A run that needs more than one sweep is rejected if that is known in advance, and reported
/// afterwards otherwise.
#[test]
fn one_sweep_must_be_enough() {
    everywhere("recordings", |gpu| {
        let records = bytes(&[0, 1]);
        let input = Input::Cpu(CpuRecords::new("twice", 1, &records));
        let settings = Settings {
            memory: Memory::Least,
            ..Default::default()
        };
        let small = Bench::new(gpu, &graph(), &settings);
        let refused = pollster::block_on(small.runner.recording(&input));
        let message = chain(&refused.expect_err("too little memory"));
        let expected = "a recorded run is one sweep, which needs";
        assert!(message.contains(expected), "{message}");

        let settings = Settings {
            input_records: 4,
            ..Default::default()
        };
        let bench = Bench::new(gpu, &graph(), &settings);
        let many = gpu.storage(&[5, 1].repeat(7));
        let descriptor = gpu.storage(&[0, 7, 0, 0, 8]);
        let input = Input::Gpu {
            descriptor: &descriptor,
            offset: 0,
            records: &[&many],
        };
        let recording = pollster::block_on(bench.runner.recording(&input)).unwrap();
        bench.submit(|encoder| recording.record(encoder, &[&bench.group]).unwrap());
        let outcome = pollster::block_on(recording.outcome());
        let Err(GraphError::Unfinished { left, .. }) = outcome else {
            panic!("{}: {outcome:?}", gpu.name);
        };
        assert_eq!(left, 0, "what was fed is done");
        let sums = bench.take();
        assert!((2..14).contains(&sums[5]), "{} of 14", sums[5]);
        // With sweeps as many as it takes, all of them are done.
        bench.try_run(&input).unwrap();
        assert_eq!(bench.take()[5], 14);
    });
}

#[test]
fn faults_and_wrong_groups_are_errors() {
    let gpu = Gpu::cpu();
    let records = bytes(&[0, 1]);
    let input = Input::Cpu(CpuRecords::new("twice", 1, &records));
    let bench = Bench::new(&gpu, &graph(), &Settings::default());
    let recording = pollster::block_on(bench.runner.recording(&input)).unwrap();
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let error = recording.record(&mut encoder, &[]).unwrap_err();
    assert!(chain(&error).contains("0 bind groups were given"));
    // Nothing was submitted yet.
    let report = pollster::block_on(recording.outcome()).unwrap();
    assert_eq!(report.stages[0].records_in, 0);

    let graph = Graph::builder("forgetful")
        .record(RecordType::new("Cell").field("value", FieldType::U32))
        .node(node(
            Node::thread("start").entry().output(Output::of_type("end", "Cell", 1)),
            "fn start() { let r = alloc_thread_end(1u); store_end_value(r, 3u, 1u); complete_end(r); }",
        ))
        .node(node(
            Node::thread("end").input_type("Cell"),
            "fn end() { atomicAdd(&sums[0], load_input_value()); }",
        ))
        .build()
        .unwrap();
    let options = GraphOptions {
        plan: PlanOptions::default().memory(1 << 20).input_records(1),
        checks: Checks::All,
        bind_group_layouts: &[&gpu.group(&gpu.zeros(4)).0],
        ..Default::default()
    };
    let runner = pollster::block_on(GraphRunner::new(&gpu.device, &gpu.queue, &graph, options));
    let runner = runner.unwrap();
    let input = Input::Cpu(CpuRecords::new("start", 1, &[]));
    let recording = pollster::block_on(runner.recording(&input)).unwrap();
    let sums = gpu.zeros(4);
    let (_, group) = gpu.group(&sums);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    recording.record(&mut encoder, &[&group]).unwrap();
    gpu.queue.submit([encoder.finish()]);
    let outcome = pollster::block_on(recording.outcome());
    assert!(matches!(outcome, Err(GraphError::Faults(_))), "{outcome:?}");
}

/// A recording keeps its own feed, and so does the runner.
#[test]
fn recordings_and_runs_leave_each_other_alone() {
    everywhere("recordings", |gpu| {
        let settings = Settings {
            input_records: 4,
            ..Default::default()
        };
        let bench = Bench::new(gpu, &graph(), &settings);
        let (one, many) = (gpu.storage(&[7, 1]), gpu.storage(&[5, 1].repeat(11)));
        let (first, all) = (
            gpu.storage(&[0, 1, 0, 0, 8]),
            gpu.storage(&[0, 11, 0, 0, 8]),
        );
        let (one, many) = ([&one], [&many]);
        let [small, large] =
            [(&first, &one), (&all, &many)].map(|(descriptor, records)| Input::Gpu {
                descriptor,
                offset: 0,
                records,
            });
        let recording = pollster::block_on(bench.runner.recording(&small)).unwrap();
        let record = || bench.submit(|encoder| recording.record(encoder, &[&bench.group]).unwrap());
        assert_eq!(bench.run(&large)[5], 22);
        record();
        assert_eq!(bench.run(&large)[5..8], [22, 0, 2], "{}", gpu.name);
        // Between the steps of a run that takes several sweeps.
        let groups = [&bench.group];
        let mut steps = pollster::block_on(bench.runner.step(&large, &groups)).unwrap();
        let mut count = 0;
        while pollster::block_on(steps.advance()).unwrap().is_some() {
            record();
            count += 1;
        }
        drop(steps);
        assert!(count > 4, "{count} steps");
        assert_eq!(bench.take()[5..8], [22, 0, 2 * count], "{}", gpu.name);
    });
}

#[test]
fn host_inputs_that_cannot_fit_are_refused() {
    let gpu = Gpu::cpu();
    let settings = Settings {
        input_records: 4,
        ..Default::default()
    };
    let bench = Bench::new(&gpu, &graph(), &settings);
    let records = bytes(&[0, 1]);
    let mut input = CpuRecords::new("twice", 700, &records);
    input.stride = Some(0);
    let refused = pollster::block_on(bench.runner.recording(&Input::Cpu(input)));
    let message = chain(&refused.expect_err("too many"));
    assert!(
        message.contains("more records than `input_records`"),
        "{message}"
    );
}

/// Many small inputs are merged into one range, and large ones take more than a row of workgroups.
#[test]
fn many_inputs_and_large_ones() {
    let gpu = Gpu::cpu();
    let settings = Settings {
        input_records: 3_000_000,
        checked: false,
        ..Default::default()
    };
    let bench = Bench::new(&gpu, &graph(), &settings);
    let records: Vec<_> = (0..256).map(|place| bytes(&[place % 8, 1])).collect();
    let inputs: Vec<_> = records
        .iter()
        .map(|bytes| CpuRecords::new("twice", 1, bytes))
        .collect();
    assert_eq!(bench.run_recorded(&Input::MultiCpu(&inputs))[..8], [64; 8]);
    // A record that is repeated so often that it is copied on the device.
    let one = bytes(&[2, 1]);
    let mut repeated = CpuRecords::new("twice", 500_000, &one);
    repeated.stride = Some(0);
    assert_eq!(bench.run_recorded(&Input::Cpu(repeated))[2], 1_000_000);
    let many = bytes(&[3, 1].repeat(2_200_000));
    let input = Input::Cpu(CpuRecords::new("twice", 2_200_000, &many));
    assert_eq!(bench.run_recorded(&input)[3], 4_400_000);
}

/// The records of an input may fill a whole binding: the other initial state is not in that buffer.
#[test]
fn an_input_that_fills_a_binding() {
    let gpu = Gpu::with_bindings_of(1 << 20);
    let count = 1 << 18;
    let graph = Graph::builder("full")
        .record(RecordType::new("Cell").field("value", FieldType::U32))
        .node(node(
            Node::thread("add").entry().input_type("Cell"),
            "fn add() { atomicAdd(&sums[load_input_value() % 8u], 1u); }",
        ))
        .build()
        .unwrap();
    let settings = Settings {
        input_records: count.into(),
        checked: false,
        ..Default::default()
    };
    let bench = Bench::new(&gpu, &graph, &settings);
    assert_eq!(bench.runner.plan().bytes(), 1 << 20);
    let records = bytes(&(0..count).collect::<Vec<_>>());
    let input = Input::Cpu(CpuRecords::new("add", count, &records));
    assert_eq!(
        bench.run(&input)[..9],
        [[count / 8; 8].as_slice(), &[0]].concat()
    );
    assert_eq!(
        bench.run_recorded(&input)[..9],
        [[count / 8; 8].as_slice(), &[0]].concat()
    );
}

/// A lost device is an error on every call.
#[test]
fn a_lost_device_is_an_error() {
    let gpu = Gpu::cpu();
    let bench = Bench::new(&gpu, &graph(), &Settings::default());
    let records = bytes(&[0, 1]);
    let input = Input::Cpu(CpuRecords::new("twice", 1, &records));
    let recording = pollster::block_on(bench.runner.recording(&input)).unwrap();
    gpu.device.destroy();
    for _ in 0..2 {
        assert!(pollster::block_on(recording.outcome()).is_err());
    }
    assert!(pollster::block_on(bench.runner.recording(&input)).is_err());
}

#[test]
fn devices_with_short_sides_are_refused() {
    let limits = wgpu::Limits {
        max_compute_workgroups_per_dimension: 100,
        ..wgpu::Limits::default()
    };
    let gpu = Gpu::with_limits(limits);
    let options = GraphOptions::default();
    let runner = pollster::block_on(GraphRunner::new(&gpu.device, &gpu.queue, &graph(), options));
    let message = runner.expect_err("too few workgroups").to_string();
    assert!(
        message.contains("100 workgroups per dimension"),
        "{message}"
    );
}
