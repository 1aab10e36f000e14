//! What guard and staging cost next to the work, and what a second slot brings.
//!
//! Targets: guard and staging under 2% of a batch of 1 ms; with 2 slots at least 1.5 times the batches
//! of submit-and-wait where host and device are different machines. Before the usual figures a table
//! of shares is printed, measured in turns so that both sides see the same machine.

#![expect(clippy::print_stdout, reason = "a benchmark speaks to whoever runs it")]

use std::time::{Duration, Instant};

use anywarp_batch::{
    BatchPass, BatchRunner, BatchRunnerDescriptor, BatchSlots, BatchSlotsDescriptor, ResultRange,
};
use criterion::{Criterion, criterion_group, criterion_main};
use wgpu::BufferUsages as Usage;

const CELLS: u64 = 1024;
/// Bytes that each batch gives back.
const RESULTS: u64 = 256;
const WORK: &str = "
@group(1) @binding(0) var<storage, read_write> state: array<u32>;
@compute @workgroup_size(64)
fn work(@builtin(global_invocation_id) id: vec3<u32>) {
    if !batch_is_active() { return; }
    // As most kernels have it; it costs a software device the same as the line above.
    if id.x >= arrayLength(&state) { return; }
    var value = state[id.x];
    for (var i = 0u; i < params.iterations; i++) { value = value * 1664525u + 1013904223u; }
    state[id.x] = value;
}";
/// The declarations of a shader without a guard: the same bindings, nothing to ask.
const BARE: &str = "
fn batch_is_active() -> bool { return true; }
";
const PARAMS: &str = "
struct Params { iterations: u32 }
@group(0) @binding(2) var<uniform> params: Params;
";

struct Gpu {
    name: &'static str,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Gpu {
    fn open(name: &'static str, adapter: &wgpu::Adapter) -> Self {
        let (device, queue) =
            pollster::block_on(adapter.request_device(&Default::default())).unwrap();
        Self {
            name,
            device,
            queue,
        }
    }

    /// The CPU adapter, and whatever Vulkan device there is.
    fn all() -> Vec<Self> {
        let mut all = vec![Self::open(
            "cpu",
            &anywarp_adapter::adapter(Default::default()),
        )];
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let vulkan = pollster::block_on(instance.request_adapter(&Default::default()));
        match vulkan {
            Ok(adapter) => {
                println!("vulkan: {}", adapter.get_info().name);
                all.push(Self::open("vulkan", &adapter));
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

    fn runner(&self, slots: u32) -> BatchRunner {
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
        let text = slots.wgsl() + PARAMS + WORK;
        let pass = BatchPass {
            pipeline: self.pipeline(text, &[slots.bind_group_layout(), &layout]),
            bind_groups: vec![(1, group)],
            workgroups: [CELLS as u32 / 64, 1, 1].into(),
        };
        let descriptor = BatchRunnerDescriptor {
            passes: vec![pass],
            ..Default::default()
        };
        BatchRunner::new(slots, descriptor).unwrap()
    }
}

/// The same work as wgpu users write it without this crate: upload, pass, copy, map, wait.
struct Bare<'a> {
    gpu: &'a Gpu,
    pipeline: wgpu::ComputePipeline,
    groups: [wgpu::BindGroup; 2],
    params: wgpu::Buffer,
    state: wgpu::Buffer,
    readback: wgpu::Buffer,
}

impl<'a> Bare<'a> {
    fn new(gpu: &'a Gpu) -> Self {
        let (state, layout, group) = gpu.state();
        let params = gpu.buffer(16, Usage::UNIFORM | Usage::COPY_DST);
        let params_layout = gpu.layout(2, wgpu::BufferBindingType::Uniform);
        let text = BARE.to_owned() + PARAMS + WORK;
        Self {
            pipeline: gpu.pipeline(text, &[&params_layout, &layout]),
            groups: [gpu.group(&params_layout, 2, &params), group],
            readback: gpu.buffer(RESULTS, Usage::MAP_READ | Usage::COPY_DST),
            gpu,
            params,
            state,
        }
    }

    fn run(&self, iterations: u32) -> Vec<u8> {
        let Gpu { device, queue, .. } = self.gpu;
        queue.write_buffer(&self.params, 0, &iterations.to_le_bytes());
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        for (index, group) in (0..).zip(&self.groups) {
            pass.set_bind_group(index, group, &[]);
        }
        pass.dispatch_workgroups(CELLS as u32 / 64, 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&self.state, 0, &self.readback, 0, RESULTS);
        queue.submit([encoder.finish()]);
        (self.readback).map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let bytes = self.readback.get_mapped_range(..).unwrap().to_vec();
        self.readback.unmap();
        bytes
    }

    /// Iterations of a batch that takes this long, round trip included.
    fn calibrate(&self, goal: Duration) -> u32 {
        let time = |iterations| median(|| drop(self.run(iterations)), 30);
        let base = time(0);
        let mut iterations = 16;
        while time(iterations) < base + goal / 2 {
            iterations *= 2;
        }
        let each = (time(iterations) - base).as_secs_f64() / f64::from(iterations);
        let left = goal.saturating_sub(base).as_secs_f64();
        // A float becomes an integer by saturation; at least one is something to do.
        ((left / each) as u32).max(1)
    }
}

fn one(runner: &mut BatchRunner, iterations: u32) {
    runner.submit(&iterations.to_le_bytes()).unwrap();
    runner.wait().unwrap().unwrap();
}

/// So many batches with all slots busy.
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

/// A submission of nothing, and one of guard and staging alone.
fn guard_and_staging(gpu: &Gpu) {
    let runner = gpu.runner(1);
    let submit = |is_guarded: bool| {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        if is_guarded {
            runner.slots().queue_guard_pass(&mut encoder, 0);
            runner.slots().queue_results_readback(&mut encoder, 0);
        }
        gpu.queue.submit([encoder.finish()]);
        (gpu.device)
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
    };
    let (mut nothing, mut guarded) = (Vec::new(), Vec::new());
    for _ in 0..300 {
        nothing.push(timed(|| submit(false)));
        guarded.push(timed(|| submit(true)));
    }
    let cost = middle(guarded).saturating_sub(middle(nothing));
    let share = cost.as_secs_f64() * 1e5;
    println!(
        "{}: guard and staging alone {cost:.1?}, {share:.1}% of 1 ms",
        gpu.name
    );
}

/// The table of shares.
fn shares(gpu: &Gpu) {
    guard_and_staging(gpu);
    let bare = Bare::new(gpu);
    let mut runner = gpu.runner(1);
    let iterations = bare.calibrate(Duration::from_millis(1));
    let (mut alone, mut guarded) = (Vec::new(), Vec::new());
    for _ in 0..300 {
        alone.push(timed(|| drop(bare.run(iterations))));
        guarded.push(timed(|| one(&mut runner, iterations)));
    }
    let (alone, guarded) = (middle(alone), middle(guarded));
    let share = (guarded.as_secs_f64() / alone.as_secs_f64() - 1.0) * 100.0;
    println!(
        "{}: a batch alone {alone:.1?}, guarded {guarded:.1?}: {share:+.1}%",
        gpu.name
    );

    let iterations = bare.calibrate(Duration::from_micros(200));
    let mut two = gpu.runner(2);
    let (mut waiting, mut single, mut busy) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..20 {
        waiting.push(timed(|| (0..50).for_each(|_| drop(bare.run(iterations)))));
        single.push(timed(|| pipelined(&mut runner, iterations, 50)));
        busy.push(timed(|| pipelined(&mut two, iterations, 50)));
    }
    let (waiting, single, busy) = (middle(waiting), middle(single), middle(busy));
    let gain = waiting.as_secs_f64() / busy.as_secs_f64();
    println!(
        "{}: 50 batches of 0.2 ms, submit and wait {waiting:.1?}, one slot {single:.1?}, \
         two slots {busy:.1?}: {gain:.2} times",
        gpu.name
    );
}

fn guard(criterion: &mut Criterion) {
    for gpu in Gpu::all() {
        shares(&gpu);
        let bare = Bare::new(&gpu);
        let iterations = bare.calibrate(Duration::from_millis(1));
        let mut group = criterion.benchmark_group(gpu.name);
        group.bench_function("a batch of 1 ms alone", |bencher| {
            bencher.iter(|| bare.run(iterations));
        });
        let mut runner = gpu.runner(1);
        group.bench_function("a batch of 1 ms guarded", |bencher| {
            bencher.iter(|| one(&mut runner, iterations));
        });
        group.bench_function("a guarded batch of nothing", |bencher| {
            bencher.iter(|| one(&mut runner, 0));
        });
        let mut runner = gpu.runner(2);
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
