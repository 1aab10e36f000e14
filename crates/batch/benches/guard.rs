//! What guard and staging cost next to the work, and what a second slot brings.
//!
//! Targets: guard and staging under 2% of a batch of 1 ms; with 2 slots at least 1.5 times the batches
//! of submit-and-wait where host and device are different machines. Before the usual figures tables
//! are printed, medians of runs that take turns, so that all sides see the same machine. Both sides do
//! the same: parameters to the device, one dispatch, 256 bytes back to the host. "Alone" is plain
//! wgpu without this crate.

#![expect(clippy::print_stdout, reason = "a benchmark speaks to whoever runs it")]

use std::time::{Duration, Instant};

use anywarp_batch::{
    BatchInfo, BatchPass, BatchRunner, BatchRunnerDescriptor, BatchSlots, BatchSlotsDescriptor,
    ResultRange,
};
use criterion::{Criterion, criterion_group, criterion_main};
use wgpu::BufferUsages as Usage;

const CELLS: u64 = 1024;
/// Bytes that each batch gives back.
const RESULTS: u64 = 256;
/// What a batch does.
#[derive(Clone, Copy)]
enum Kernel {
    /// A bounds check first, as most have: an early return like that of the guard.
    Checked,
    /// No early return but the guard's.
    Straight,
}

impl Kernel {
    fn wgsl(self) -> String {
        let check = match self {
            Self::Checked => "if id.x >= arrayLength(&state) { return; }",
            Self::Straight => "",
        };
        format!(
            "
struct Params {{ iterations: u32 }}
@group(0) @binding(2) var<uniform> params: Params;
@group(1) @binding(0) var<storage, read_write> state: array<u32>;
@compute @workgroup_size(64)
fn work(@builtin(global_invocation_id) id: vec3<u32>) {{
    if !batch_is_active() {{ return; }}
    {check}
    var value = state[id.x];
    for (var i = 0u; i < params.iterations; i++) {{ value = value * 1664525u + 1013904223u; }}
    state[id.x] = value;
}}"
        )
    }
}

/// The declarations of a shader without a guard: the same bindings, nothing to ask.
const BARE: &str = "
fn batch_is_active() -> bool { return true; }
";
struct Gpu {
    name: &'static str,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Gpu {
    fn open(name: &'static str, adapter: &wgpu::Adapter, wanted: wgpu::Features) -> Self {
        let timestamps =
            wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: adapter.features() & (timestamps | wanted),
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).unwrap();
        Self {
            name,
            device,
            queue,
        }
    }

    /// The CPU adapter and whatever Vulkan device there is, with and without the feature that maps any buffer.
    fn all() -> Vec<Self> {
        let none = wgpu::Features::empty();
        let any = wgpu::Features::MAPPABLE_PRIMARY_BUFFERS;
        let cpu = anywarp_adapter::adapter(Default::default());
        let mut all = vec![
            Self::open("cpu", &cpu, none),
            Self::open("cpu, any buffer mapped", &cpu, any),
        ];
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let vulkan = pollster::block_on(instance.request_adapter(&Default::default()));
        match vulkan {
            Ok(adapter) => {
                println!("vulkan: {}", adapter.get_info().name);
                all.push(Self::open("vulkan", &adapter, none));
                all.push(Self::open("vulkan, any buffer mapped", &adapter, any));
            }
            Err(_) => println!("SKIPPED: no Vulkan adapter"),
        }
        all
    }

    fn buffer(&self, size: u64, usage: Usage) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    fn layout(&self, binding: u32, ty: wgpu::BufferBindingType) -> wgpu::BindGroupLayout {
        (self.device).create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        })
    }

    fn group(
        &self,
        layout: &wgpu::BindGroupLayout,
        binding: u32,
        buffer: &wgpu::Buffer,
    ) -> wgpu::BindGroup {
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout,
            entries: &[wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            }],
        })
    }

    fn pipeline(&self, text: String, layouts: &[&wgpu::BindGroupLayout]) -> wgpu::ComputePipeline {
        let layouts: Vec<_> = layouts.iter().map(|layout| Some(*layout)).collect();
        let layout = (self.device).create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &layouts,
            immediate_size: 0,
        });
        let module = (self.device).create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        (self.device).create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        })
    }

    fn state(&self) -> (wgpu::Buffer, wgpu::BindGroupLayout, wgpu::BindGroup) {
        let state = self.buffer(4 * CELLS, Usage::STORAGE | Usage::COPY_SRC);
        let layout = self.layout(0, wgpu::BufferBindingType::Storage { read_only: false });
        let group = self.group(&layout, 0, &state);
        (state, layout, group)
    }

    fn slots(&self, slots: u32, kernel: Kernel) -> (BatchSlots, BatchPass) {
        let (state, layout, group) = self.state();
        let slots = BatchSlots::new(
            &self.device,
            &self.queue,
            BatchSlotsDescriptor {
                slots,
                params_size: 4,
                results: vec![ResultRange {
                    buffer: state,
                    offset: 0,
                    size: RESULTS,
                }],
                ..Default::default()
            },
        )
        .unwrap();
        let text = slots.wgsl() + &kernel.wgsl();
        let pass = BatchPass {
            pipeline: self.pipeline(text, &[slots.bind_group_layout(), &layout]),
            bind_groups: vec![(1, group)],
            workgroups: [CELLS as u32 / 64, 1, 1].into(),
        };
        (slots, pass)
    }

    fn runner(&self, slots: u32, kernel: Kernel) -> BatchRunner {
        let (slots, pass) = self.slots(slots, kernel);
        let descriptor = BatchRunnerDescriptor {
            passes: vec![pass],
            ..Default::default()
        };
        BatchRunner::new(slots, descriptor).unwrap()
    }
}

/// How parameters get to the device without this crate.
#[derive(Clone, Copy)]
enum Feeding {
    /// `Queue::write_buffer`, as most write it. wgpu makes a buffer for it each time.
    WriteBuffer,
    /// A buffer that is mapped again and again, as this crate has it.
    OwnBuffer,
}

/// The same work as wgpu users write it without this crate: upload, pass, copy, map, wait.
struct Bare<'a> {
    gpu: &'a Gpu,
    feeding: Feeding,
    upload: wgpu::Buffer,
    pipeline: wgpu::ComputePipeline,
    /// A dispatch that does nothing but stand in line, before the work and behind it.
    empty: Option<wgpu::ComputePipeline>,
    groups: [wgpu::BindGroup; 2],
    params: wgpu::Buffer,
    state: wgpu::Buffer,
    readback: wgpu::Buffer,
}

impl<'a> Bare<'a> {
    fn new(gpu: &'a Gpu, kernel: Kernel, feeding: Feeding) -> Self {
        let (state, layout, group) = gpu.state();
        let upload = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: Usage::MAP_WRITE | Usage::COPY_SRC,
            mapped_at_creation: true,
        });
        let params = gpu.buffer(16, Usage::UNIFORM | Usage::COPY_DST);
        let params_layout = gpu.layout(2, wgpu::BufferBindingType::Uniform);
        let text = BARE.to_owned() + &kernel.wgsl();
        Self {
            pipeline: gpu.pipeline(text, &[&params_layout, &layout]),
            empty: None,
            groups: [gpu.group(&params_layout, 2, &params), group],
            readback: gpu.buffer(RESULTS, Usage::MAP_READ | Usage::COPY_DST),
            gpu,
            feeding,
            upload,
            params,
            state,
        }
    }

    /// With a dispatch before the work and one behind it. They bind its state for writing, so that the
    /// device finishes one before it begins the next.
    fn between_empty(gpu: &'a Gpu, kernel: Kernel) -> Self {
        let mut bare = Self::new(gpu, kernel, Feeding::WriteBuffer);
        let text = "
@group(1) @binding(0) var<storage, read_write> state: array<u32>;
@compute @workgroup_size(1)
fn empty() { let length = arrayLength(&state); }";
        let params_layout = gpu.layout(2, wgpu::BufferBindingType::Uniform);
        let layout = gpu.layout(0, wgpu::BufferBindingType::Storage { read_only: false });
        bare.empty = Some(gpu.pipeline(text.into(), &[&params_layout, &layout]));
        bare
    }

    /// Pass and copy.
    fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for (index, group) in (0..).zip(&self.groups) {
            pass.set_bind_group(index, group, &[]);
        }
        let nothing = |pass: &mut wgpu::ComputePass<'_>| {
            if let Some(empty) = &self.empty {
                pass.set_pipeline(empty);
                pass.dispatch_workgroups(1, 1, 1);
            }
        };
        nothing(&mut pass);
        pass.set_pipeline(&self.pipeline);
        pass.dispatch_workgroups(CELLS as u32 / 64, 1, 1);
        nothing(&mut pass);
        drop(pass);
        encoder.copy_buffer_to_buffer(&self.state, 0, &self.readback, 0, RESULTS);
    }

    fn submit(&self, iterations: u32) -> wgpu::SubmissionIndex {
        let Gpu { device, queue, .. } = self.gpu;
        let bytes = iterations.to_le_bytes();
        let mut encoder = device.create_command_encoder(&Default::default());
        match self.feeding {
            Feeding::WriteBuffer => queue.write_buffer(&self.params, 0, &bytes),
            Feeding::OwnBuffer => {
                let mut view = self.upload.get_mapped_range_mut(..).unwrap();
                view.slice(..4).copy_from_slice(&bytes);
                drop(view);
                self.upload.unmap();
                encoder.copy_buffer_to_buffer(&self.upload, 0, &self.params, 0, 16);
                let mode = wgpu::MapMode::Write;
                encoder.map_buffer_on_submit(&self.upload, mode, .., |result| result.unwrap());
            }
        }
        self.encode(&mut encoder);
        queue.submit([encoder.finish()])
    }

    fn run(&self, iterations: u32) -> Vec<u8> {
        let submission = self.send(iterations);
        self.receive(submission)
    }

    fn send(&self, iterations: u32) -> wgpu::SubmissionIndex {
        let submission = self.submit(iterations);
        (self.readback).map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        submission
    }

    fn receive(&self, submission: wgpu::SubmissionIndex) -> Vec<u8> {
        let wait = wgpu::PollType::Wait {
            submission_index: Some(submission),
            timeout: None,
        };
        self.gpu.device.poll(wait).unwrap();
        let bytes = self.readback.get_mapped_range(..).unwrap().to_vec();
        self.readback.unmap();
        bytes
    }

    /// Iterations of a batch that takes this long.
    fn calibrate(&self, goal: Duration, what: Counted) -> u32 {
        // A GPU that was idle takes a while to come up to speed.
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(500) {
            self.run(20_000);
        }
        let time = |iterations| median(|| drop(self.run(iterations)), 100);
        let base = time(0);
        let mut iterations = 16;
        while time(iterations) < base + goal / 2 {
            iterations *= 2;
        }
        let each = (time(iterations) - base).as_secs_f64() / f64::from(iterations);
        let work = match what {
            Counted::RoundTrip => goal.saturating_sub(base),
            Counted::Work => goal,
        };
        // A float becomes an integer by saturation; at least one is something to do.
        ((work.as_secs_f64() / each) as u32).max(1)
    }
}

/// What the length of a batch means.
#[derive(Clone, Copy)]
enum Counted {
    /// From the call on the host to its results there.
    RoundTrip,
    /// What the device does for it, on top of a batch that does nothing.
    Work,
}

fn one(runner: &mut BatchRunner, iterations: u32) {
    runner.submit(&iterations.to_le_bytes()).unwrap();
    runner.wait().unwrap().unwrap();
}

/// Runs batches with all slots busy.
fn pipelined(runner: &mut BatchRunner, iterations: u32, batches: u32) {
    let mut done = 0;
    let mut sent = 0;
    while done < batches {
        while sent < batches && runner.submit(&iterations.to_le_bytes()).is_ok() {
            sent += 1;
        }
        runner.wait().unwrap().unwrap();
        done += 1;
    }
}

/// Runs batches without a guard, two of them in flight: an upper bound for guarded batches.
fn unguarded(pair: &[Bare<'_>; 2], iterations: u32, batches: u32) {
    let mut first = pair[0].send(iterations);
    for batch in 1..batches as usize {
        let second = pair[batch % 2].send(iterations);
        pair[(batch + 1) % 2].receive(first);
        first = second;
    }
    pair[(batches as usize + 1) % 2].receive(first);
}

fn timed(body: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    body();
    begin.elapsed()
}

fn median(mut body: impl FnMut(), times: usize) -> Duration {
    let mut all: Vec<_> = (0..times).map(|_| timed(&mut body)).collect();
    all.sort_unstable();
    all[times / 2]
}

fn middle(mut all: Vec<Duration>) -> Duration {
    all.sort_unstable();
    all[all.len() / 2]
}

/// Medians of several things that take turns.
fn in_turns<const N: usize>(times: usize, mut bodies: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut all = [const { Vec::new() }; N];
    for _ in 0..times {
        for (all, body) in all.iter_mut().zip(&mut bodies) {
            all.push(timed(body));
        }
    }
    all.map(middle)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// What single commands cost next to a submission of nothing, on host and device together.
fn parts(gpu: &Gpu) {
    let (slots, _) = gpu.slots(1, Kernel::Checked);
    let empty = gpu.pipeline("@compute @workgroup_size(1) fn empty() {}".into(), &[]);
    let submit = |encode: &dyn Fn(&mut wgpu::CommandEncoder)| {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encode(&mut encoder);
        gpu.queue.submit([encoder.finish()]);
        let wait = wgpu::PollType::wait_indefinitely();
        gpu.device.poll(wait).unwrap();
    };
    let dispatch = |encoder: &mut wgpu::CommandEncoder, count| {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&empty);
        (0..count).for_each(|_| pass.dispatch_workgroups(1, 1, 1));
    };
    let [nothing, once, twice, guarded] = in_turns(
        300,
        [
            &mut || submit(&|_| {}),
            &mut || submit(&|encoder| dispatch(encoder, 1)),
            &mut || submit(&|encoder| (0..2).for_each(|_| dispatch(encoder, 1))),
            &mut || {
                submit(&|encoder| {
                    slots.queue_guard_pass(encoder, 0);
                    slots.queue_results_readback(encoder, 0);
                });
            },
        ],
    );
    let more = |time: Duration| micros(time) - micros(nothing);
    println!(
        "{}: a submission of nothing {:.1} us; more with one empty dispatch {:.1}, with two {:.1}, \
         with guard and staging {:.1}",
        gpu.name,
        micros(nothing),
        more(once),
        more(twice),
        more(guarded),
    );
}

/// What the device's own clock says about the parts of a batch.
fn on_the_device(gpu: &Gpu) {
    let features = gpu.device.features();
    if !features.contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS) {
        println!("{}: no timestamps inside of encoders", gpu.name);
        return;
    }
    const MARKS: u32 = 6;
    let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Timestamp,
        count: MARKS,
    });
    let resolved = gpu.buffer(256, Usage::QUERY_RESOLVE | Usage::COPY_SRC);
    let readback = gpu.buffer(256, Usage::MAP_READ | Usage::COPY_DST);
    let bare = Bare::new(gpu, Kernel::Checked, Feeding::WriteBuffer);
    let iterations = bare.calibrate(Duration::from_micros(200), Counted::Work);
    // Its parameters stay.
    bare.run(iterations);
    let (slots, work) = gpu.slots(1, Kernel::Checked);
    let info = BatchInfo::default();
    let times = (0_u32..100).map(|ticket| {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let info = BatchInfo { ticket, ..info };
        let params = iterations.to_le_bytes();
        encoder.write_timestamp(&queries, 0);
        slots.queue_params(&mut encoder, 0, info, &params).unwrap();
        encoder.write_timestamp(&queries, 1);
        slots.queue_guard_pass(&mut encoder, 0);
        encoder.write_timestamp(&queries, 2);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&work.pipeline);
        pass.set_bind_group(0, slots.bind_group(0), &[]);
        pass.set_bind_group(1, &work.bind_groups[0].1, &[]);
        pass.dispatch_workgroups(CELLS as u32 / 64, 1, 1);
        drop(pass);
        encoder.write_timestamp(&queries, 3);
        slots.queue_results_readback(&mut encoder, 0);
        encoder.write_timestamp(&queries, 4);
        bare.encode(&mut encoder);
        encoder.write_timestamp(&queries, 5);
        encoder.resolve_query_set(&queries, 0..MARKS, &resolved, 0);
        encoder.copy_buffer_to_buffer(&resolved, 0, &readback, 0, 256);
        gpu.queue.submit([encoder.finish()]);
        readback.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        let wait = wgpu::PollType::wait_indefinitely();
        gpu.device.poll(wait).unwrap();
        let view = readback.get_mapped_range(..).unwrap();
        let marks: Vec<u64> = bytemuck::pod_collect_to_vec(&view[..8 * MARKS as usize]);
        drop(view);
        readback.unmap();
        let ticks = marks.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]));
        ticks.collect::<Vec<_>>()
    });
    let times: Vec<_> = times.collect();
    let period = f64::from(gpu.queue.get_timestamp_period()) / 1000.0;
    let [told, guard, work, staging, alone] = [0, 1, 2, 3, 4].map(|part| {
        let mut all: Vec<_> = times.iter().map(|time| time[part]).collect();
        all.sort_unstable();
        all[all.len() / 2] as f64 * period
    });
    println!(
        "{}: by the device's clock: parameters {told:.1} us, guard {guard:.1}, work {work:.1}, \
         staging and readback {staging:.1}; the work and the readback alone {alone:.1}",
        gpu.name
    );
}

/// What the host does for a batch of nothing, while the device is idle.
fn on_the_host(gpu: &Gpu) {
    let mut runner = gpu.runner(1, Kernel::Checked);
    let bare = Bare::new(gpu, Kernel::Checked, Feeding::WriteBuffer);
    let (mut submitting, mut collecting, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..300 {
        submitting.push(timed(|| {
            runner.submit(&0_u32.to_le_bytes()).unwrap();
        }));
        let wait = wgpu::PollType::wait_indefinitely();
        gpu.device.poll(wait).unwrap();
        collecting.push(timed(|| drop(runner.wait().unwrap().unwrap())));
        alone.push(timed(|| {
            bare.submit(0);
        }));
        let wait = wgpu::PollType::wait_indefinitely();
        gpu.device.poll(wait).unwrap();
    }
    println!(
        "{}: on the host: to submit a batch {:.1} us, to collect it {:.1}; to submit one alone {:.1}",
        gpu.name,
        micros(middle(submitting)),
        micros(middle(collecting)),
        micros(middle(alone)),
    );
}

/// The price of a guarded batch of 1 ms: by itself, and as one of many in two slots. Next to it what
/// two dispatches that do nothing cost the same batch: no guard before the work and no release behind
/// it can be cheaper.
fn share(gpu: &Gpu, kernel: Kernel, what: &str) {
    const BATCHES: u32 = 4;
    let usual = Bare::new(gpu, kernel, Feeding::WriteBuffer);
    let own = Bare::new(gpu, kernel, Feeding::OwnBuffer);
    let between = Bare::between_empty(gpu, kernel);
    let mut runner = gpu.runner(1, kernel);
    let mut two_slots = gpu.runner(2, kernel);
    let iterations = usual.calibrate(Duration::from_millis(1), Counted::RoundTrip);
    let [alone, own, between, guarded, two_slots] = in_turns(
        300,
        [
            &mut || drop(usual.run(iterations)),
            &mut || drop(own.run(iterations)),
            &mut || drop(between.run(iterations)),
            &mut || one(&mut runner, iterations),
            &mut || pipelined(&mut two_slots, iterations, BATCHES),
        ],
    );
    let two_slots = two_slots / BATCHES;
    let more = |time: Duration, alone: Duration| (micros(time) / micros(alone) - 1.0) * 100.0;
    println!(
        "{}: a batch{what} guarded {:.1} us; alone {:.1}: {:+.2}%; alone with a buffer of its own \
         {:.1}: {:+.2}%; alone between two empty dispatches {:.1}: {:+.2}%; guarded in two slots \
         {:.1} each: {:+.2}%",
        gpu.name,
        micros(guarded),
        micros(alone),
        more(guarded, alone),
        micros(own),
        more(guarded, own),
        micros(between),
        more(between, alone),
        micros(two_slots),
        more(two_slots, alone),
    );
}

/// What slots bring for batches of 0.2 ms.
fn throughput(gpu: &Gpu, counted: Counted, what: &str) {
    const BATCHES: u32 = 50;
    let usual = Bare::new(gpu, Kernel::Checked, Feeding::WriteBuffer);
    let own = Bare::new(gpu, Kernel::Checked, Feeding::OwnBuffer);
    let iterations = usual.calibrate(Duration::from_micros(200), counted);
    let [mut one, mut two, mut three] = [1, 2, 3].map(|slots| gpu.runner(slots, Kernel::Checked));
    let pair = [(); 2].map(|()| Bare::new(gpu, Kernel::Checked, Feeding::OwnBuffer));
    let [unguarded, usual, own, one, two, three] = in_turns(
        40,
        [
            &mut || unguarded(&pair, iterations, BATCHES),
            &mut || (0..BATCHES).for_each(|_| drop(usual.run(iterations))),
            &mut || (0..BATCHES).for_each(|_| drop(own.run(iterations))),
            &mut || pipelined(&mut one, iterations, BATCHES),
            &mut || pipelined(&mut two, iterations, BATCHES),
            &mut || pipelined(&mut three, iterations, BATCHES),
        ],
    );
    let each = |time: Duration| micros(time) / f64::from(BATCHES);
    println!(
        "{}: batches of 0.2 ms {what}: submit and wait {:.1} us each, with a buffer of its own {:.1}; \
         one slot {:.1}, two slots {:.1}, three {:.1}: two are {:.2} and {:.2} times as fast as \
         submit and wait; without a guard, two on the device, {:.1}: {:.2} and {:.2} times",
        gpu.name,
        each(usual),
        each(own),
        each(one),
        each(two),
        each(three),
        micros(usual) / micros(two),
        micros(own) / micros(two),
        each(unguarded),
        micros(usual) / micros(unguarded),
        micros(own) / micros(unguarded),
    );
}

/// The tables.
fn shares(gpu: &Gpu) {
    parts(gpu);
    on_the_host(gpu);
    on_the_device(gpu);
    share(gpu, Kernel::Checked, "");
    share(gpu, Kernel::Straight, " without a bounds check");
    throughput(gpu, Counted::RoundTrip, "from call to results");
    throughput(gpu, Counted::Work, "on the device");
}

fn guard(criterion: &mut Criterion) {
    for gpu in Gpu::all() {
        shares(&gpu);
        let bare = Bare::new(&gpu, Kernel::Checked, Feeding::WriteBuffer);
        let iterations = bare.calibrate(Duration::from_millis(1), Counted::RoundTrip);
        let mut group = criterion.benchmark_group(gpu.name);
        group.bench_function("a batch of 1 ms alone", |bencher| {
            bencher.iter(|| bare.run(iterations));
        });
        let mut runner = gpu.runner(1, Kernel::Checked);
        group.bench_function("a batch of 1 ms guarded", |bencher| {
            bencher.iter(|| one(&mut runner, iterations));
        });
        group.bench_function("a guarded batch of nothing", |bencher| {
            bencher.iter(|| one(&mut runner, 0));
        });
        let mut runner = gpu.runner(2, Kernel::Checked);
        group.bench_function("10 batches of 1 ms in two slots", |bencher| {
            bencher.iter(|| pipelined(&mut runner, iterations, 10));
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = guard
}
criterion_main!(benches);
