//! The examples as graphs against the same as chains of passes written by hand.
//!
//! Targets: within 1.2 times the chain on a GPU, within 1.3 times on the CPU adapter. Each example runs
//! a number of copies at once, several numbers on a GPU, or `ANYWARP_COPIES`: one picture is little work
//! for a GPU, and then what a submission costs is what is measured. All ways draw the same picture, which
//! is compared first; then they take turns, each from submission to the end of waiting, and medians are
//! printed. There are two pairs, each of which does one job on both sides. `chain` and `recorded`: what is on
//! the device is submitted and waited for. `chain with input` and `run`: the host also writes what it begins
//! with, and reads back the counts it ends with. Words given as arguments choose among the devices by name;
//! `--trace` also shows where the device's time goes, on both sides, with a pass for each piece.

#![expect(clippy::print_stdout, reason = "a benchmark speaks to whoever runs it")]

mod chain;
#[path = "../devices/mod.rs"]
mod devices;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anywarp_graph::device::CpuRecords;
use anywarp_graph::file::FileResources;
use anywarp_graph::plan::PlanOptions;
use anywarp_graph::{GraphFile, GraphOptions, GraphRunner, Input};
use chain::{Chain, Dispatch, HostInput, Pass};
use pollster::block_on;

/// How long each side runs, about.
const TIME: Duration = Duration::from_secs(5);
/// The most runs of each side.
const MAX_RUNS: usize = 201;

fn main() -> ExitCode {
    let adapters = match devices::chosen() {
        Ok(adapters) => adapters,
        Err(error) => {
            println!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    // `cargo test --benches` only wants to know whether it builds and runs.
    let is_test = std::env::args().any(|argument| argument == "--test");
    println!(
        "| device | example | copies | chain | recorded | recorded / chain | chain with input | run | run / chain with input | sweeps |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for adapter in adapters {
        let name = adapter.get_info().name;
        let is_cpu = adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        let copies = std::env::var("ANYWARP_COPIES");
        let copies = copies.ok().and_then(|copies| copies.parse().ok());
        let copies = copies.map(|copies| vec![copies]);
        let copies = copies.unwrap_or(if is_cpu { vec![1] } else { vec![1, 256, 2048] });
        for copies in copies {
            for example in ["quadtree", "tiles", "downsample"] {
                measure(&adapter, &name, example, copies, is_test);
            }
        }
    }
    ExitCode::SUCCESS
}

/// A device with an example on it.
struct Bench {
    device: wgpu::Device,
    queue: wgpu::Queue,
    resources: FileResources,
}

impl Bench {
    fn picture(&self) -> Vec<u8> {
        let picture = &self.resources.buffers[0];
        let read = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: picture.size(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(picture, 0, &read, 0, picture.size());
        // The other side begins with nothing.
        encoder.clear_buffer(picture, 0, None);
        self.queue.submit([encoder.finish()]);
        read.map_async(wgpu::MapMode::Read, .., |_| ());
        self.wait();
        read.get_mapped_range(..).expect("it is mapped").to_vec()
    }

    fn wait(&self) {
        let poll = self.device.poll(wgpu::PollType::wait_indefinitely());
        poll.expect("the device works");
    }

    fn run_chain(&self, chain: &Chain) {
        chain.submit(&self.device, &self.queue, &self.resources.bind_groups);
        self.wait();
    }

    fn run_chain_with_input(&self, chain: &Chain, input: &HostInput) -> Vec<u8> {
        let users = &self.resources.bind_groups;
        chain.run_with_input(&self.device, &self.queue, users, input)
    }
}

/// Where the examples are: beside the sources, or, where the program was carried to another machine,
/// under the folder it is started in.
fn folder() -> PathBuf {
    let here = PathBuf::from("examples/graphs");
    if here.exists() {
        here
    } else {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/graphs")
    }
}

fn measure(adapter: &wgpu::Adapter, name: &str, example: &str, copies: u32, is_test: bool) {
    let folder = folder();
    let file = GraphFile::read(folder.join(format!("{example}.toml")));
    let file = file.unwrap_or_else(|error| panic!("{error}"));
    let request = adapter.request_device(&wgpu::DeviceDescriptor {
        required_limits: adapter.limits(),
        required_features: adapter.features() & wgpu::Features::TIMESTAMP_QUERY,
        ..Default::default()
    });
    let (device, queue) = block_on(request).expect("a device");
    let bench = Bench {
        resources: file.resources(&device, &queue).expect("buffers"),
        device,
        queue,
    };
    let layouts: Vec<_> = bench.resources.layouts.iter().collect();
    let options = GraphOptions {
        plan: PlanOptions::default()
            .memory(512 << 20)
            .input_records(copies.into()),
        bind_group_layouts: &layouts,
        ..Default::default()
    };
    let runner = GraphRunner::new(&bench.device, &bench.queue, file.graph(), options);
    let runner = block_on(runner).unwrap_or_else(|error| panic!("{error}"));
    let chain = chain(&bench, &folder, example, copies);

    let once = file.inputs()[0].cpu_records();
    let records = CpuRecords {
        count: copies,
        stride: Some(0),
        ..once
    };
    let input = Input::Cpu(records);
    let host_input = host_input(example, copies, once.bytes);
    let groups: Vec<_> = bench.resources.bind_groups.iter().collect();
    let run_graph = || block_on(runner.run(&input, &groups)).expect("the graph runs");
    let sweeps = run_graph().sweeps;
    let of_graph = bench.picture();
    bench.run_chain(&chain);
    assert!(
        of_graph == bench.picture(),
        "{example} on {name}: the pictures differ"
    );
    let counts = bench.run_chain_with_input(&chain, &host_input);
    assert!(
        of_graph == bench.picture() && counts.iter().any(|&byte| byte != 0),
        "{example} on {name}: the chain with input differs"
    );

    let recording = match block_on(runner.recording(&input)) {
        Ok(recording) => Some(recording),
        Err(error) => {
            println!("{example} on {name} is not recorded: {error}");
            None
        }
    };
    let run_recorded = || {
        let Some(recording) = &recording else { return };
        let mut encoder = bench.device.create_command_encoder(&Default::default());
        recording
            .record(&mut encoder, &groups)
            .expect("the bind groups fit");
        bench.queue.submit([encoder.finish()]);
        bench.wait();
    };
    if let Some(recording) = &recording {
        run_recorded();
        block_on(recording.outcome()).expect("one sweep is enough");
        assert!(
            of_graph == bench.picture(),
            "{example} on {name}: the recorded picture differs"
        );
    }

    let mut times = [const { Vec::new() }; 4];
    let began = Instant::now();
    while times[0].len() < MAX_RUNS && (times[0].len() < 3 || began.elapsed() < 4 * TIME) {
        times[0].push(timed(|| drop(run_graph())));
        times[1].push(timed(|| bench.run_chain(&chain)));
        times[2].push(timed(run_recorded));
        times[3].push(timed(|| {
            drop(bench.run_chain_with_input(&chain, &host_input));
        }));
        if is_test {
            break;
        }
    }
    let traced = std::env::args().any(|argument| argument == "--trace");
    if traced
        && bench
            .device
            .features()
            .contains(wgpu::Features::TIMESTAMP_QUERY)
    {
        let (_, trace) = block_on(runner.trace(&input, &groups)).expect("the graph runs");
        println!("{trace}");
        for (name, nanoseconds) in
            chain.trace(&bench.device, &bench.queue, &bench.resources.bind_groups)
        {
            println!("{:10.1} us  {name}", nanoseconds / 1e3);
        }
    }
    let [run, chain, recorded, chain_with_input] = times.map(median);
    let recorded = match recording {
        Some(_) => format!("{:.3} ms | {:.2}", 1e3 * recorded, recorded / chain),
        None => "- | -".to_owned(),
    };
    println!(
        "| {name} | {example} | {copies} | {:.3} ms | {recorded} | {:.3} ms | {:.3} ms | {:.2} | {sweeps} |",
        1e3 * chain,
        1e3 * chain_with_input,
        1e3 * run,
        run / chain_with_input
    );
}

fn timed(work: impl FnOnce()) -> f64 {
    let began = Instant::now();
    work();
    began.elapsed().as_secs_f64()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// An example as it would be written without graphs.
fn chain(bench: &Bench, folder: &Path, example: &str, copies: u32) -> Chain {
    let own = match example {
        "quadtree" => include_str!("quadtree.wgsl"),
        "tiles" => include_str!("tiles.wgsl"),
        _ => include_str!("downsample.wgsl"),
    };
    let shared = match example {
        "quadtree" => "quadtree/shapes.wgsl",
        "tiles" => "tiles/scene.wgsl",
        _ => "downsample/pyramid.wgsl",
    };
    let shared = std::fs::read_to_string(folder.join(shared)).expect("a file of the example");
    let text = format!("{own}\n{shared}");
    let cells = 16 * u64::from(copies) * 5461;
    let copied = ("COPIES", f64::from(copies));
    let (buffers, passes) = match example {
        "quadtree" => (vec![128, cells, cells], quadtree(copies, copied)),
        "tiles" => (
            vec![32, 3 * 4096 * u64::from(copies)],
            tiles(copies, copied),
        ),
        _ => (
            vec![256 * u64::from(copies)],
            vec![
                Pass::new("bottom", Dispatch::Direct([8, 8, copies])),
                Pass::new("top", Dispatch::Direct([copies, 1, 1])),
            ],
        ),
    };
    let layouts: Vec<_> = bench.resources.layouts.iter().collect();
    Chain::new(&bench.device, &text, &layouts, &buffers, passes)
}

/// What the host writes where a graph gets its input from it, for as many copies of one record.
fn host_input(example: &str, copies: u32, record: &[u8]) -> HostInput {
    let (lists, replaced) = match example {
        // Counts, of which the first is that of the cells of the first level, and those cells.
        "quadtree" => {
            let counts = [copies].into_iter().chain([0; 31]);
            let counts = counts.flat_map(u32::to_le_bytes).collect();
            let cell = [record, &[0; 4]].concat();
            (vec![counts, cell.repeat(copies as usize)], 1)
        }
        "tiles" => (vec![vec![0; 32]], 1),
        // The pixels of tiles, as in the records.
        _ => (vec![record[..256].repeat(copies as usize)], 0),
    };
    HostInput { lists, replaced }
}

fn quadtree(copies: u32, copied: (&'static str, f64)) -> Vec<Pass> {
    let groups = copies.div_ceil(64);
    let mut passes = vec![Pass::new("begin", Dispatch::Direct([groups, 1, 1])).with(&[copied])];
    for level in 0..7_u32 {
        let constants = [("LEVEL", f64::from(level)), copied];
        let split = Dispatch::Indirect(12 * u64::from(level));
        passes.push(Pass::new("prepare", Dispatch::Prepare).with(&constants));
        passes.push(Pass::new("split", split).with(&constants));
    }
    for level in 0..7_u32 {
        let constants = [("LEVEL", f64::from(level)), copied];
        passes.push(Pass::new("prepare_leaves", Dispatch::Prepare).with(&constants));
    }
    for level in 0..7_u32 {
        let constants = [("LEVEL", f64::from(level)), copied];
        let draw = Dispatch::Indirect(96 + 12 * u64::from(level));
        passes.push(Pass::new("draw", draw).with(&constants));
    }
    passes
}

fn tiles(copies: u32, copied: (&'static str, f64)) -> Vec<Pass> {
    let mut passes = vec![
        Pass::new("begin", Dispatch::Direct([1, 1, 1])),
        Pass::new("classify", Dispatch::Direct([1, 32, copies])).with(&[copied]),
        Pass::new("prepare", Dispatch::Prepare),
    ];
    for (kind, shader) in (0..3_u32).zip(["sky", "ball", "edge"]) {
        let shade = Dispatch::Indirect(12 * u64::from(kind));
        let constants = [("KIND", f64::from(kind)), copied];
        passes.push(Pass::new(shader, shade).with(&constants));
    }
    passes
}
