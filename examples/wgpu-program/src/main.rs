//! An ordinary wgpu compute program. The one line about Anywarp is the instance.
//!
//! It uploads numbers, squares them with a dispatch, lets a shader decide how many workgroups a second,
//! indirect dispatch has, copies the result and maps it.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

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

/// Native wgpu answers at once; a program on the web would await.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("native wgpu answers at once"),
    }
}

fn buffer(device: &wgpu::Device, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage,
        mapped_at_creation: false,
    })
}

fn pipeline(
    device: &wgpu::Device,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    entry_point: &str,
) -> wgpu::ComputePipeline {
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry_point),
        layout: Some(layout),
        module,
        entry_point: Some(entry_point),
        compilation_options: Default::default(),
        cache: None,
    })
}

fn storage_entry(binding: u32) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: false },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // On a machine with a GPU: wgpu::Instance::new(..)
    let instance = anywarp_adapter::instance();

    let adapter = ready(instance.request_adapter(&Default::default()))?;
    let info = adapter.get_info();
    println!(
        "{} ({:?}, {} {})",
        info.name, info.device_type, info.driver, info.driver_info
    );
    let (device, queue) = ready(adapter.request_device(&Default::default()))?;

    use wgpu::BufferUsages as Usage;
    let size = u64::from(COUNT) * 4;
    let numbers = buffer(
        &device,
        size,
        Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC,
    );
    let workgroups = buffer(&device, 12, Usage::STORAGE | Usage::COPY_SRC);
    let arguments = buffer(&device, 12, Usage::INDIRECT | Usage::COPY_DST);
    let download = buffer(&device, size, Usage::MAP_READ | Usage::COPY_DST);

    let input: Vec<u8> = (0..COUNT).flat_map(u32::to_le_bytes).collect();
    queue.write_buffer(&numbers, 0, &input);

    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("squares.wgsl"),
        source: wgpu::ShaderSource::Wgsl(SHADER.into()),
    });
    let group_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[storage_entry(0), storage_entry(1)],
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&group_layout)],
        immediate_size: 0,
    });
    let square = pipeline(&device, &layout, &module, "square");
    let negate = pipeline(&device, &layout, &module, "negate");
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &group_layout,
        entries: &[
            wgpu::BindGroupEntry {
                binding: 0,
                resource: numbers.as_entire_binding(),
            },
            wgpu::BindGroupEntry {
                binding: 1,
                resource: workgroups.as_entire_binding(),
            },
        ],
    });

    let mut encoder = device.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&square);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(COUNT / 64, 1, 1);
    }
    encoder.copy_buffer_to_buffer(&workgroups, 0, &arguments, 0, 12);
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&negate);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups_indirect(&arguments, 0);
    }
    encoder.copy_buffer_to_buffer(&numbers, 0, &download, 0, size);
    queue.submit([encoder.finish()]);

    download.map_async(wgpu::MapMode::Read, .., |result| {
        result.expect("the buffer maps")
    });
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let mapped = download.get_mapped_range(..)?;
    let words = mapped.chunks_exact(4);
    let result: Vec<i32> = words
        .map(|word| i32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();

    for (i, value) in (0i32..).zip(&result) {
        let expected = if i < 512 { -(i * i) } else { i * i };
        assert_eq!(*value, expected, "number {i}");
    }
    println!("{:?} .. {:?}", &result[..5], &result[1020..]);
    Ok(())
}
