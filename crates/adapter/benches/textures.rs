//! Copies of texels against plain copies of memory of the same size.
//!
//! Target: within 1.5 times a plain copy, for whole textures and for rows with gaps. The plain copy is
//! of buffers that were used before, as the textures were.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const SIDE: u32 = 4096;
const BYTES: u64 = SIDE as u64 * SIDE as u64 * 4;
const COPIES: u32 = 8;

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

    fn texture(&self, width: u32) -> wgpu::Texture {
        let texture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: size(width),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let bytes = vec![1; (width * SIDE * 4) as usize];
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(width * 4),
            rows_per_image: None,
        };
        self.queue
            .write_texture(texture.as_image_copy(), &bytes, layout, size(width));
        texture
    }

    fn buffer(&self) -> wgpu::Buffer {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: BYTES,
            usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue
            .write_buffer(&buffer, 0, &vec![1; BYTES as usize]);
        buffer
    }

    /// Several copies in one submission, so that waiting for it does not count.
    fn run(&self, encode: impl Fn(&mut wgpu::CommandEncoder)) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        for _ in 0..COPIES {
            encode(&mut encoder);
        }
        self.queue.submit([encoder.finish()]);
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
    }
}

fn size(width: u32) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width,
        height: SIDE,
        depth_or_array_layers: 1,
    }
}

fn whole(buffer: &wgpu::Buffer) -> wgpu::TexelCopyBufferInfo<'_> {
    wgpu::TexelCopyBufferInfo {
        buffer,
        layout: wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(SIDE * 4),
            rows_per_image: None,
        },
    }
}

fn copies(criterion: &mut Criterion) {
    let gpu = Gpu::open();
    let mut group = criterion.benchmark_group("64 MiB of texels");
    group.throughput(Throughput::Bytes(BYTES * u64::from(COPIES)));
    group
        .measurement_time(Duration::from_secs(4))
        .sample_size(20);

    let source = vec![1u8; BYTES as usize];
    let mut target = vec![2u8; BYTES as usize];
    group.bench_function("plain memory copy", |bench| {
        bench.iter(|| {
            for _ in 0..COPIES {
                black_box(&mut target).copy_from_slice(black_box(&source));
            }
        });
    });
    let (first, second) = (gpu.texture(SIDE), gpu.texture(SIDE));
    let (from, to) = (gpu.buffer(), gpu.buffer());
    group.bench_function("buffer to buffer", |bench| {
        bench.iter(|| gpu.run(|encoder| encoder.copy_buffer_to_buffer(&from, 0, &to, 0, BYTES)));
    });
    group.bench_function("buffer to texture", |bench| {
        bench.iter(|| {
            gpu.run(|encoder| {
                encoder.copy_buffer_to_texture(whole(&from), first.as_image_copy(), size(SIDE));
            });
        });
    });
    group.bench_function("texture to buffer", |bench| {
        bench.iter(|| {
            gpu.run(|encoder| {
                encoder.copy_texture_to_buffer(first.as_image_copy(), whole(&to), size(SIDE));
            });
        });
    });
    group.bench_function("texture to texture", |bench| {
        bench.iter(|| {
            gpu.run(|encoder| {
                let (from, to) = (first.as_image_copy(), second.as_image_copy());
                encoder.copy_texture_to_texture(from, to, size(SIDE));
            });
        });
    });
    // Rows of 1 KiB, each copied by itself.
    let narrow = gpu.texture(256);
    group.throughput(Throughput::Bytes(u64::from(256 * SIDE * 4 * COPIES)));
    group.bench_function("rows of 1 KiB with gaps to texture", |bench| {
        bench.iter(|| {
            gpu.run(|encoder| {
                encoder.copy_buffer_to_texture(whole(&from), narrow.as_image_copy(), size(256));
            });
        });
    });
}

criterion_group!(benches, copies);
criterion_main!(benches);
