//! What the device itself costs, apart from the work: opening it, a dispatch, a round trip, an upload.
//!
//! Targets: adapter and device under 5 ms, a dispatch in a pass under 1 us, a submit-and-wait round
//! trip under 60 us, an upload close to two memory copies (one by the host, one by the queue).

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const DISPATCHES: u64 = 1000;
const UPLOAD: usize = 64 << 20;

struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Gpu {
    fn open() -> Self {
        let instance = anywarp_adapter::instance();
        let adapter = pollster::block_on(instance.request_adapter(&Default::default())).unwrap();
        let (device, queue) =
            pollster::block_on(adapter.request_device(&Default::default())).unwrap();
        Self { device, queue }
    }

    fn empty_kernel(&self) -> wgpu::ComputePipeline {
        let module = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl("@compute @workgroup_size(1) fn main() {}".into()),
            });
        self.device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: None,
                module: &module,
                entry_point: None,
                compilation_options: Default::default(),
                cache: None,
            })
    }

    fn submit(&self, pipeline: &wgpu::ComputePipeline, dispatches: u64) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(pipeline);
        for _ in 0..dispatches {
            pass.dispatch_workgroups(1, 1, 1);
        }
        drop(pass);
        self.queue.submit([encoder.finish()]);
    }

    fn wait(&self) {
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
    }
}

fn open(criterion: &mut Criterion) {
    criterion.bench_function("adapter and device", |bencher| bencher.iter(Gpu::open));
}

fn dispatches(criterion: &mut Criterion) {
    let gpu = Gpu::open();
    let pipeline = gpu.empty_kernel();
    let mut group = criterion.benchmark_group("pass");
    group.throughput(Throughput::Elements(DISPATCHES));
    group.bench_function("1000 empty dispatches", |bencher| {
        bencher.iter(|| {
            gpu.submit(&pipeline, DISPATCHES);
            gpu.wait();
        });
    });
    group.finish();
}

fn round_trip(criterion: &mut Criterion) {
    let gpu = Gpu::open();
    let pipeline = gpu.empty_kernel();
    criterion.bench_function("submit and wait", |bencher| {
        bencher.iter(|| {
            gpu.submit(&pipeline, 1);
            gpu.wait();
        });
    });
}

fn upload(criterion: &mut Criterion) {
    let gpu = Gpu::open();
    let data = vec![1u8; UPLOAD];
    let mut target = vec![0u8; UPLOAD];
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: UPLOAD as u64,
        usage: wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut group = criterion.benchmark_group("64 MiB");
    group.throughput(Throughput::Bytes(UPLOAD as u64));
    group.bench_function("write_buffer and wait", |bencher| {
        bencher.iter(|| {
            gpu.queue.write_buffer(&buffer, 0, &data);
            gpu.queue.submit([]);
            gpu.wait();
        });
    });
    group.bench_function("one memory copy", |bencher| {
        bencher.iter(|| black_box(&mut target).copy_from_slice(black_box(&data)));
    });
    group.finish();
}

criterion_group! {
    name = overhead;
    config = Criterion::default().measurement_time(Duration::from_secs(3)).sample_size(30);
    targets = open, dispatches, round_trip, upload
}
criterion_main!(overhead);
