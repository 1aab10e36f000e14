//! How the cases run: one buffer of words that all nodes add to, on every device.

use std::cell::RefCell;

use std::num::NonZeroU32;

use anywarp_graph::device::{
    Checks, Coalescing, CpuRecords, DeviceFaults, LocalArguments, SharedArena,
};
use anywarp_graph::model::FieldType;
use anywarp_graph::plan::PlanOptions;
use anywarp_graph::{
    Graph, GraphBuilder, GraphError, GraphOptions, GraphRunner, Input, Node, Plan, RecordType,
    Report,
};
use anywarp_program::Source;

use crate::common::Gpu;

/// The declarations of every node.
const USER: &str = "@group(0) @binding(0) var<storage, read_write> sums: array<atomic<u32>>;\n";

/// A node with its text.
pub(crate) fn node(node: Node, text: &str) -> Node {
    let name = format!("{}.wgsl", node.id.name);
    node.source(Source::new(name, format!("{USER}{text}")))
}

/// Begins a graph whose records are a value each.
pub(crate) fn cells(name: &str) -> GraphBuilder {
    Graph::builder(name).record(RecordType::new("Cell").field("value", FieldType::U32))
}

/// The memory limit of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    Ample,
    Least,
}

pub(crate) fn checks(all: bool) -> Checks {
    if all { Checks::All } else { Checks::Essential }
}

/// Zero gives full workgroups.
fn coalescing(seed: u32) -> Coalescing {
    NonZeroU32::new(seed).map_or(Coalescing::Full, |seed| Coalescing::Random { seed })
}

/// How a case runs.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) memory: Memory,
    pub(crate) checked: bool,
    pub(crate) shuffle: u32,
    pub(crate) local: LocalArguments,
    /// Words of the buffer that nodes add to.
    pub(crate) words: u64,
    pub(crate) input_records: u64,
    pub(crate) max_launches: u32,
    pub(crate) shared: Option<SharedArena>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            memory: Memory::Ample,
            checked: true,
            shuffle: 0,
            local: LocalArguments::default(),
            words: 64,
            input_records: 1024,
            max_launches: u32::MAX,
            shared: None,
        }
    }
}

/// A graph on a device with the buffer of its nodes.
pub(crate) struct Bench<'a> {
    pub(crate) gpu: &'a Gpu,
    pub(crate) runner: GraphRunner,
    pub(crate) group: wgpu::BindGroup,
    sums: wgpu::Buffer,
}

impl<'a> Bench<'a> {
    pub(crate) fn new(gpu: &'a Gpu, graph: &Graph, settings: &Settings) -> Self {
        let sums = gpu.zeros(settings.words);
        let (layout, group) = gpu.group(&sums);
        let ample = PlanOptions::default()
            .memory(256 << 20)
            .input_records(settings.input_records);
        let memory = match settings.memory {
            Memory::Ample => ample.memory,
            Memory::Least => Plan::new(graph, &ample).unwrap().minimum_bytes(),
        };
        let options = GraphOptions {
            plan: ample.memory(memory),
            checks: checks(settings.checked),
            coalescing: coalescing(settings.shuffle),
            bind_group_layouts: &[&layout],
            local_arguments: settings.local.clone(),
            max_launches: settings.max_launches,
            ..Default::default()
        };
        let own = || SharedArena::new(&gpu.device, &gpu.queue);
        let memory = settings.shared.clone().unwrap_or_else(own);
        let runner = pollster::block_on(memory.load(graph, options));
        let runner = runner.unwrap_or_else(|error| panic!("{}: {error}", gpu.name));
        Self {
            gpu,
            runner,
            sums,
            group,
        }
    }

    /// Runs and returns the outcome.
    pub(crate) fn try_run(&self, input: &Input<'_>) -> Result<Report, GraphError> {
        pollster::block_on(self.runner.run(input, &[&self.group]))
    }

    /// Runs and returns the words that nodes added since the last time.
    pub(crate) fn run(&self, input: &Input<'_>) -> Vec<u32> {
        if let Err(error) = self.try_run(input) {
            panic!("{}: {error}", self.gpu.name);
        }
        self.take()
    }

    /// The same by the test's own submission.
    pub(crate) fn run_recorded(&self, input: &Input<'_>) -> Vec<u32> {
        let recording = pollster::block_on(self.runner.recording(input));
        let recording = recording.unwrap_or_else(|error| panic!("{}: {error}", self.gpu.name));
        self.submit(|encoder| recording.record(encoder, &[&self.group]).unwrap());
        if let Err(error) = pollster::block_on(recording.outcome()) {
            panic!("{}: {error}", self.gpu.name);
        }
        self.take()
    }

    /// Submits what is encoded.
    pub(crate) fn submit(&self, encode: impl FnOnce(&mut wgpu::CommandEncoder)) {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        encode(&mut encoder);
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// Runs a graph that violates rules, and returns which.
    pub(crate) fn faults(&self, input: &Input<'_>) -> DeviceFaults {
        match self.try_run(input) {
            Err(GraphError::Faults(faults)) => faults,
            other => panic!("no fault on {}: {other:?}", self.gpu.name),
        }
    }

    /// The words that nodes added; resets the buffer to zero.
    pub(crate) fn take(&self) -> Vec<u32> {
        let words = self.gpu.read(&self.sums);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&self.sums, 0, None);
        self.gpu.queue.submit([encoder.finish()]);
        words
    }
}

/// Runs a test on every device.
pub(crate) fn everywhere(what: &str, test: impl Fn(&Gpu)) {
    test(&Gpu::cpu());
    for gpu in Gpu::vulkan(what) {
        test(&gpu);
    }
}

thread_local! {
    /// Collects modules instead of creating them on devices, for tests that validate them.
    static COLLECTED: RefCell<Option<Vec<(String, String)>>> = const { RefCell::new(None) };
}

/// The modules of all graphs that these tests would run, in both modes.
pub(crate) fn modules(tests: &[fn()]) -> Vec<(String, String)> {
    COLLECTED.set(Some(Vec::new()));
    tests.iter().for_each(|test| test());
    COLLECTED.take().unwrap_or_default()
}

/// Whether a graph is built only for its modules.
pub(crate) fn is_collected(graph: &Graph, settings: &Settings) -> bool {
    COLLECTED.with_borrow_mut(|collected| {
        let Some(collected) = collected else {
            return false;
        };
        let gpu = Gpu::cpu();
        for checked in [true, false] {
            let settings = Settings {
                checked,
                ..settings.clone()
            };
            let bench = Bench::new(&gpu, graph, &settings);
            let shaders = bench.runner.shaders().iter();
            collected
                .extend(shaders.map(|(name, text)| (format!("{name}, {checked}"), text.clone())));
        }
        true
    })
}

/// Runs a graph on every device, with ample and with minimal memory, checked and unchecked, with
/// and without the shuffle, and checks the words that its nodes added.
pub(crate) fn check(
    graph: &Graph,
    settings: &Settings,
    records: &[CpuRecords<'_>],
    look: impl Fn(&[u32]),
) {
    if is_collected(graph, settings) {
        return;
    }
    everywhere(graph.name(), |gpu| {
        let of = |memory, checked, shuffle| Settings {
            memory,
            checked,
            shuffle,
            ..settings.clone()
        };
        for settings in [of(Memory::Ample, true, 0), of(Memory::Least, false, 7)] {
            let bench = Bench::new(gpu, graph, &settings);
            look(&bench.run(&Input::MultiCpu(records)));
            if bench.runner.plan().bytes() >= bench.runner.plan().recommended_bytes() {
                look(&bench.run_recorded(&Input::MultiCpu(records)));
            }
        }
    });
}

/// Runs a graph as [`check`] does; its nodes add one to each word.
pub(crate) fn check_ones(graph: &Graph, words: u64, records: &[CpuRecords<'_>]) {
    let settings = Settings {
        words,
        ..Default::default()
    };
    check(graph, &settings, records, |sums| {
        let name = graph.name();
        assert!(sums.iter().all(|&count| count == 1), "{name}: {sums:?}");
    });
}

/// Words as the bytes of records.
pub(crate) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
