//! Random graphs on a device.

use std::num::NonZeroU32;

use anywarp_graph::device::{Checks, Coalescing, OutputCounts};
use anywarp_graph::plan::PlanOptions;
use anywarp_graph::{GraphError, GraphOptions, GraphRunner, Input, Plan, Report};

use crate::common::{Gpu, say};
use crate::random::shape::{InputShape, Shape};

/// The maximum memory in bytes that a graph gets so that it can be recorded.
const MAX_BYTES: u64 = 64 << 20;

/// The memory limit of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    Ample,
    /// The minimum, plus this number of records.
    More(u32),
    Least,
}

/// How a graph is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    memory: Memory,
    checked: bool,
    counted: bool,
    shuffle: u32,
    /// Whether inputs are described on the device.
    from_device: bool,
    max_launches: u32,
    /// Whether the test submits the runs itself, if one sweep is sure to be enough.
    recorded: bool,
}

impl Mode {
    /// One of the two modes, and one of runs that are recorded.
    pub(crate) fn one_of(seed: u64, shape: &Shape, which: u64) -> [Self; 2] {
        let [one, other, recorded] = Self::chosen(seed, shape);
        [if which.is_multiple_of(2) { one } else { other }, recorded]
    }

    /// Two modes that differ in everything, and one of recorded runs. The seed selects them.
    pub(crate) fn chosen(seed: u64, shape: &Shape) -> [Self; 3] {
        let bit = |place: u32| seed >> place & 1 == 1;
        // With little memory a large input would take thousands of sweeps.
        let is_wide = shape.largest_input() > 1000;
        let first = Self {
            memory: if bit(4) && !is_wide {
                Memory::More(1 + seed as u32 % 19)
            } else {
                Memory::Ample
            },
            checked: bit(0),
            counted: bit(1),
            shuffle: if bit(2) { seed as u32 + 1 } else { 0 },
            from_device: bit(3),
            // Grids end in the middle of a dispatch.
            max_launches: if bit(5) && !is_wide {
                5 + seed as u32 % 61
            } else {
                u32::MAX
            },
            recorded: false,
        };
        let other = Self {
            memory: if is_wide {
                Memory::More(3000)
            } else {
                Memory::Least
            },
            checked: !bit(0),
            counted: !bit(1),
            shuffle: if bit(2) { 0 } else { seed as u32 + 1 },
            from_device: !bit(3),
            max_launches: u32::MAX,
            recorded: false,
        };
        let recorded = Self {
            memory: Memory::Ample,
            max_launches: u32::MAX,
            recorded: true,
            checked: !bit(1),
            counted: bit(0),
            ..first
        };
        [first, other, recorded]
    }
}

impl Mode {
    /// After a short run, another follows on the same runner.
    fn runs(self) -> usize {
        if self.memory == Memory::Ample { 2 } else { 1 }
    }
}

/// Statistics over all graphs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) runs: u32,
    /// Runs that were recorded.
    pub(crate) recorded: u32,
    /// Runs with the minimal memory, and their sweeps.
    pub(crate) least: u32,
    pub(crate) sweeps: u32,
}

/// Runs a graph and compares its log.
pub(crate) fn compare(
    gpu: &Gpu,
    seed: u64,
    shape: &Shape,
    expected: &[(u32, u32)],
    mode: Mode,
    tally: &mut Tally,
) {
    if std::env::var_os("ANYWARP_SHOW_WGSL").is_some() {
        say(&format!("seed {seed}, {mode:?}\n{}", describe(shape)));
    }
    let expected = expected.repeat(mode.runs());
    let found = run(gpu, shape, expected.len(), mode, tally);
    let found = found.unwrap_or_else(|error| fail(gpu, seed, shape, mode, &error));
    let Some(mut found) = found else {
        return;
    };
    let mut expected = expected;
    found.sort_unstable();
    expected.sort_unstable();
    if found == expected {
        return;
    }
    let missing = differences(&expected, &found);
    let extra = differences(&found, &expected);
    let message = format!(
        "{} entries instead of {}\nmissing (node, count): {missing:?}\ntoo many (node, count): {extra:?}",
        found.len(),
        expected.len()
    );
    fail(gpu, seed, shape, mode, &message);
}

/// Entries of one sorted list that are missing in another, counted by node.
fn differences(these: &[(u32, u32)], others: &[(u32, u32)]) -> Vec<(u32, usize)> {
    let mut counts = std::collections::BTreeMap::<(u32, u32), i64>::new();
    for entry in these {
        *counts.entry(*entry).or_default() += 1;
    }
    for entry in others {
        *counts.entry(*entry).or_default() -= 1;
    }
    let mut by_node = std::collections::BTreeMap::<u32, usize>::new();
    for ((node, _), count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        *by_node.entry(node).or_default() += count as usize;
    }
    by_node.into_iter().collect()
}

fn fail(gpu: &Gpu, seed: u64, shape: &Shape, mode: Mode, message: &str) -> ! {
    let name = &gpu.name;
    panic!(
        "seed {seed} on {name}, {mode:?}: {message}\n{}",
        describe(shape)
    );
}

/// Describes the graph, with its WGSL if `ANYWARP_SHOW_WGSL` is set.
fn describe(shape: &Shape) -> String {
    let mut text = format!("one in {} sends\n", shape.thin);
    for record in shape.graph.records() {
        let fields = record.fields().iter();
        let fields: Vec<_> = fields
            .map(|field| format!("{}: {}", field.name, field.ty))
            .collect();
        text += &format!("{} {{ {} }}\n", record.name(), fields.join(", "));
    }
    for (number, node) in shape.graph.nodes().iter().enumerate() {
        text += &format!(
            "{number} {}: {:?} {:?} {:?} recursion {} entry {} shares {:?}\n",
            node.id,
            node.launch,
            node.input,
            node.access,
            node.recursion,
            node.entry,
            node.shares_input_of
        );
        for (output, body) in node.outputs.iter().zip(&shape.bodies[number].outputs) {
            text += &format!("    {output:?} {:?} each {}\n", body.style, body.each);
        }
        if std::env::var_os("ANYWARP_SHOW_WGSL").is_some() {
            text += node.sources[0].text();
        }
    }
    for input in &shape.inputs {
        text += &format!(
            "input {}: {} stride {:?}\n",
            input.node, input.count, input.stride
        );
    }
    text
}

/// The log of a graph, unless it cannot be recorded.
fn run(
    gpu: &Gpu,
    shape: &Shape,
    entries: usize,
    mode: Mode,
    tally: &mut Tally,
) -> Result<Option<Vec<(u32, u32)>>, String> {
    let log = gpu.zeros(1 + 2 * (entries as u64 + 256));
    let (layout, group) = gpu.group(&log);
    let ample = PlanOptions::default()
        .memory(4 << 20)
        .input_records(shape.max_for_an_entry().max(64));
    let least = Plan::new(&shape.graph, &ample).map_err(|error| error.to_string())?;
    let plan = ample.memory(match mode.memory {
        // If one sweep may be enough at all, there is enough memory for it.
        Memory::Ample if least.recommended_bytes() <= MAX_BYTES => MAX_BYTES,
        Memory::Ample => ample.memory,
        Memory::More(records) => least.minimum_bytes() + 32 * u64::from(records),
        Memory::Least => least.minimum_bytes(),
    });
    let options = GraphOptions {
        plan,
        checks: checks(mode.checked),
        output_counts: output_counts(mode.counted),
        coalescing: NonZeroU32::new(mode.shuffle)
            .map_or(Coalescing::Full, |seed| Coalescing::Random { seed }),
        bind_group_layouts: &[&layout],
        local_arguments: shape.local.clone(),
        max_launches: mode.max_launches,
        ..Default::default()
    };
    let runner = GraphRunner::new(&gpu.device, &gpu.queue, &shape.graph, options);
    let runner = pollster::block_on(runner).map_err(|error| error.to_string())?;
    if mode.recorded {
        let is_enough = runner.plan().bytes() >= runner.plan().recommended_bytes();
        if !is_enough {
            return Ok(None);
        }
        let times = mode.runs();
        let recorded = with_input(gpu, shape, mode, |input| {
            run_recorded(gpu, &runner, input, &group, times)
        });
        recorded.map_err(|error| error.to_string())?;
        tally.recorded += times as u32;
    }
    for _ in 0..if mode.recorded { 0 } else { mode.runs() } {
        let report = with_input(gpu, shape, mode, |input| {
            pollster::block_on(runner.run(input, &[&group]))
        });
        let report = report.map_err(|error| error.to_string())?;
        tally.runs += 1;
        if mode.memory == Memory::Least {
            tally.least += 1;
            tally.sweeps += report.sweeps;
        }
    }
    let words = gpu.read(&log);
    let count = words[0] as usize;
    let given = words[1..].chunks_exact(2).map(|entry| (entry[0], entry[1]));
    // A log beyond the buffer shows as a wrong number.
    let mut found: Vec<_> = given.take(count).collect();
    found.resize(count.min(1 << 20), (u32::MAX, 0));
    Ok(Some(found))
}

/// Passes the inputs of a graph to a function that runs it.
fn with_input<T>(gpu: &Gpu, shape: &Shape, mode: Mode, run: impl FnOnce(&Input<'_>) -> T) -> T {
    if !mode.from_device {
        let inputs: Vec<_> = shape.inputs.iter().map(InputShape::records).collect();
        return run(&Input::MultiCpu(&inputs));
    }
    let (descriptors, records) = on_device(gpu, shape);
    let records: Vec<_> = records.iter().collect();
    run(&Input::MultiGpu {
        descriptors: &descriptors,
        offset: 8,
        records: &records,
        cap: shape.inputs.len() as u32 + 3,
    })
}

/// Runs in the test's own submission.
fn run_recorded(
    gpu: &Gpu,
    runner: &GraphRunner,
    input: &Input<'_>,
    group: &wgpu::BindGroup,
    times: usize,
) -> Result<Report, GraphError> {
    let recording = pollster::block_on(runner.recording(input))?;
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    for _ in 0..times {
        recording.record(&mut encoder, &[group])?;
    }
    gpu.queue.submit([encoder.finish()]);
    pollster::block_on(recording.outcome())
}

/// The inputs as a program on the device would write them: two buffers, records at unaligned
/// offsets.
fn on_device(gpu: &Gpu, shape: &Shape) -> (wgpu::Buffer, Vec<wgpu::Buffer>) {
    let mut buffers = [vec![0_u8; 4], vec![0_u8; 12]];
    let mut words = vec![0xeeee_eeee, 0xeeee_eeee, shape.inputs.len() as u32];
    for (number, input) in shape.inputs.iter().enumerate() {
        let node = shape.graph.node(&input.node).unwrap();
        let entry = shape.graph.entries().iter().position(|&it| it == node);
        let record = shape
            .graph
            .input_record(node)
            .map_or(0, |record| record.bytes());
        let buffer = &mut buffers[number % 2];
        words.extend([
            entry.unwrap() as u32,
            input.count,
            (number % 2) as u32,
            buffer.len() as u32,
            input.stride.unwrap_or(record),
        ]);
        buffer.extend(&input.bytes);
    }
    // After the counted descriptors come words that must not be read.
    words.extend([0xeeee_eeee; 15]);
    let upload = |bytes: &Vec<u8>| gpu.storage(&bytemuck::pod_collect_to_vec::<u8, u32>(bytes));
    (gpu.storage(&words), buffers.iter().map(upload).collect())
}

fn checks(all: bool) -> Checks {
    if all { Checks::All } else { Checks::Essential }
}

fn output_counts(on: bool) -> OutputCounts {
    if on {
        OutputCounts::On
    } else {
        OutputCounts::Off
    }
}

/// A graph on a device, to inspect its modules.
pub(crate) fn runner(gpu: &Gpu, shape: &Shape, checked: bool) -> GraphRunner {
    let (layout, _) = gpu.group(&gpu.zeros(4));
    let options = GraphOptions {
        checks: checks(checked),
        output_counts: output_counts(checked),
        bind_group_layouts: &[&layout],
        local_arguments: shape.local.clone(),
        ..Default::default()
    };
    let runner = GraphRunner::new(&gpu.device, &gpu.queue, &shape.graph, options);
    pollster::block_on(runner).unwrap()
}
