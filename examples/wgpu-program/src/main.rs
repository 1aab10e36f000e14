//! An ordinary wgpu compute program. Only the line that creates the instance is specific to Anywarp.
//!
//! It uploads numbers, squares them with a dispatch whose shader also computes the workgroup count of a second,
//! indirect dispatch, copies the result and maps it.

use std::error::Error;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use wgpu::BufferUsages as Usage;

const SHADER: &str = "
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> workgroups: array<u32, 3>;

@compute @workgroup_size(64)
fn square(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&numbers) { numbers[id.x] *= numbers[id.x]; }
    // The second dispatch covers the first half only.
    if id.x == 0u { workgroups = array(arrayLength(&numbers) / 2u / 64u, 1u, 1u); }
}

@compute @workgroup_size(64)
fn negate(@builtin(global_invocation_id) id: vec3<u32>) {
    numbers[id.x] = ~numbers[id.x] + 1u;
}
";

const COUNT: u32 = 1024;
const SIZE: u64 = COUNT as u64 * 4;

fn main() -> Result<(), Box<dyn Error>> {
    // On a machine with a GPU: wgpu::Instance::new(..)
    let instance = anywarp::instance();

    let adapter = ready(instance.request_adapter(&Default::default()))?;
    let info = adapter.get_info();
    println!(
        "{} ({:?}, {} {})",
        info.name, info.device_type, info.driver, info.driver_info
    );
    let (device, queue) = ready(adapter.request_device(&Default::default()))?;

    let program = Program::new(&device);
    let input: Vec<u8> = (0..COUNT).flat_map(u32::to_le_bytes).collect();
    queue.write_buffer(&program.numbers, 0, &input);
    queue.submit([program.record(&device)]);

    let result = program.download(&device)?;
    for (i, value) in (0i32..).zip(&result) {
        let expected = if i < 512 { -(i * i) } else { i * i };
        assert_eq!(*value, expected, "number {i}");
    }
    println!("{:?} .. {:?}", &result[..5], &result[1020..]);
    Ok(())
}

/// Polls a future once: futures of native wgpu are ready immediately. A program on the web would await.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("native wgpu answers at once"),
    }
}

struct Program {
    numbers: wgpu::Buffer,
    workgroups: wgpu::Buffer,
    arguments: wgpu::Buffer,
    result: wgpu::Buffer,
    square: wgpu::ComputePipeline,
    negate: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
}

impl Program {
    fn new(device: &wgpu::Device) -> Self {
        let buffer = |size, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let numbers = buffer(SIZE, Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC);
        let workgroups = buffer(12, Usage::STORAGE | Usage::COPY_SRC);
        let layout = group_layout(device);
        Self {
            group: bind(device, &layout, &[&numbers, &workgroups]),
            square: pipeline(device, &layout, "square"),
            negate: pipeline(device, &layout, "negate"),
            arguments: buffer(12, Usage::INDIRECT | Usage::COPY_DST),
            result: buffer(SIZE, Usage::MAP_READ | Usage::COPY_DST),
            numbers,
            workgroups,
        }
    }

    fn record(&self, device: &wgpu::Device) -> wgpu::CommandBuffer {
        let mut encoder = device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.square);
            pass.set_bind_group(0, &self.group, &[]);
            pass.dispatch_workgroups(COUNT / 64, 1, 1);
        }
        encoder.copy_buffer_to_buffer(&self.workgroups, 0, &self.arguments, 0, 12);
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.negate);
            pass.set_bind_group(0, &self.group, &[]);
            pass.dispatch_workgroups_indirect(&self.arguments, 0);
        }
        encoder.copy_buffer_to_buffer(&self.numbers, 0, &self.result, 0, SIZE);
        encoder.finish()
    }

    fn download(&self, device: &wgpu::Device) -> Result<Vec<i32>, Box<dyn Error>> {
        self.result.map_async(wgpu::MapMode::Read, .., |result| {
            result.expect("the buffer maps");
        });
        device.poll(wgpu::PollType::wait_indefinitely())?;
        let mapped = self.result.get_mapped_range(..)?;
        let words = mapped.chunks_exact(4);
        Ok(words
            .map(|word| i32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect())
    }
}

/// A layout of two storage buffers.
fn group_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = |binding| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: false },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[entry(0), entry(1)],
    })
}

fn bind(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    buffers: &[&wgpu::Buffer],
) -> wgpu::BindGroup {
    let entries: Vec<_> = (0..)
        .zip(buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout,
        entries: &entries,
    })
}

fn pipeline(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    entry_point: &str,
) -> wgpu::ComputePipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("squares.wgsl"),
        source: wgpu::ShaderSource::Wgsl(SHADER.into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry_point),
        layout: Some(&layout),
        module: &module,
        entry_point: Some(entry_point),
        compilation_options: Default::default(),
        cache: None,
    })
}
