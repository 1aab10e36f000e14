//! Buffers at the speed of memory: 64 MiB copied on the device, written by the host, and mapped.
//!
//! Target: at most 1.5 times one memory copy of the same size, measured in the same run. What is read
//! from a mapping is copied by the reader; so is what is written there.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use wgpu::BufferUsages as Usage;

const SIZE: usize = 64 << 20;

struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Gpu {
    fn open() -> Self {
        let adapter = anywarp_adapter::adapter(Default::default());
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_limits: adapter.limits(),
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).unwrap();
        Self { device, queue }
    }

    /// A buffer whose memory was touched before.
    fn buffer(&self, usage: Usage) -> wgpu::Buffer {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: SIZE as u64,
            usage,
            mapped_at_creation: true,
        });
        let mut view = buffer.get_mapped_range_mut(..).unwrap();
        view.copy_from_slice(&vec![1; SIZE]);
        drop(view);
        buffer.unmap();
        self.queue.submit([]);
        self.wait();
        buffer
    }

    fn copy(&self, source: &wgpu::Buffer, target: &wgpu::Buffer) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(source, 0, target, 0, SIZE as u64);
        self.queue.submit([encoder.finish()]);
    }

    fn wait(&self) {
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
    }
}

fn memory(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("64 MiB");
    group.throughput(Throughput::Bytes(SIZE as u64));
    plain(&mut group);
    on_device(&mut group);
    written(&mut group);
    mapped(&mut group);
    group.finish();
}

fn plain(group: &mut BenchmarkGroup<'_, WallTime>) {
    let (source, mut target) = (vec![1u8; SIZE], vec![0u8; SIZE]);
    group.bench_function("memory copy", |bencher| {
        bencher.iter(|| black_box(&mut target).copy_from_slice(black_box(&source)));
    });
}

fn on_device(group: &mut BenchmarkGroup<'_, WallTime>) {
    let gpu = Gpu::open();
    let source = gpu.buffer(Usage::COPY_SRC);
    let target = gpu.buffer(Usage::COPY_DST);
    group.bench_function("copy_buffer_to_buffer", |bencher| {
        bencher.iter(|| {
            gpu.copy(&source, &target);
            gpu.wait();
        });
    });
    group.bench_function("clear_buffer", |bencher| {
        bencher.iter(|| {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            encoder.clear_buffer(&target, 0, None);
            gpu.queue.submit([encoder.finish()]);
            gpu.wait();
        });
    });
}

fn written(group: &mut BenchmarkGroup<'_, WallTime>) {
    let gpu = Gpu::open();
    let target = gpu.buffer(Usage::COPY_DST);
    let data = vec![1u8; SIZE];
    group.bench_function("write_buffer", |bencher| {
        bencher.iter(|| {
            gpu.queue.write_buffer(&target, 0, black_box(&data));
            gpu.queue.submit([]);
            gpu.wait();
        });
    });
    group.bench_function("write_buffer of a part", |bencher| {
        bencher.iter(|| {
            gpu.queue.write_buffer(&target, 4, black_box(&data[4..]));
            gpu.queue.submit([]);
            gpu.wait();
        });
    });
}

fn mapped(group: &mut BenchmarkGroup<'_, WallTime>) {
    let gpu = Gpu::open();
    let download = gpu.buffer(Usage::COPY_DST | Usage::MAP_READ);
    let upload = gpu.buffer(Usage::COPY_SRC | Usage::MAP_WRITE);
    let mut host = vec![0u8; SIZE];
    group.bench_function("map and read", |bencher| {
        bencher.iter(|| {
            download.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
            gpu.wait();
            black_box(&mut host).copy_from_slice(&download.get_mapped_range(..).unwrap());
            download.unmap();
        });
    });
    group.bench_function("map and write", |bencher| {
        bencher.iter(|| {
            upload.map_async(wgpu::MapMode::Write, .., |result| result.unwrap());
            gpu.wait();
            let mut view = upload.get_mapped_range_mut(..).unwrap();
            view.copy_from_slice(black_box(&host));
            drop(view);
            upload.unmap();
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500)).sample_size(20);
    targets = memory
}
criterion_main!(benches);
