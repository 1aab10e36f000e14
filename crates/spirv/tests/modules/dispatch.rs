//! Runs one workgroup of a compute shader with buffers, binding arrays of buffers and immediate data.

use std::num::NonZeroU32;

use wgpu::BufferUsages as Usage;

use crate::common::gpu::{Gpu, Shader};

/// The resource of a binding.
pub(crate) enum Binding {
    Storage(Vec<u32>),
    /// A read-only storage buffer.
    Read(Vec<u32>),
    Uniform(Vec<u32>),
    Array(Vec<Vec<u32>>),
}

impl Binding {
    fn contents(&self) -> Vec<&[u32]> {
        match self {
            Self::Storage(words) | Self::Read(words) | Self::Uniform(words) => vec![words],
            Self::Array(all) => all.iter().map(Vec::as_slice).collect(),
        }
    }

    fn entry(&self, binding: u32) -> wgpu::BindGroupLayoutEntry {
        let ty = match self {
            Self::Uniform(_) => wgpu::BufferBindingType::Uniform,
            _ => wgpu::BufferBindingType::Storage {
                read_only: matches!(self, Self::Read(_)),
            },
        };
        wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: match self {
                Self::Array(all) => NonZeroU32::new(all.len() as u32),
                _ => None,
            },
        }
    }
}

/// Runs a shader and returns the contents of the first buffer.
pub(crate) fn run(
    gpu: &Gpu,
    shader: &Shader,
    bindings: &[Binding],
    immediates: &[u32],
) -> Result<Vec<u32>, String> {
    gpu.guarded(|| unguarded(gpu, shader, bindings, immediates))?
}

fn unguarded(
    gpu: &Gpu,
    shader: &Shader,
    bindings: &[Binding],
    immediates: &[u32],
) -> Result<Vec<u32>, String> {
    let device = &gpu.device;
    let usage = Usage::STORAGE | Usage::UNIFORM | Usage::COPY_SRC;
    let filled = |words: &[u32]| gpu.filled(bytemuck::cast_slice(words), usage);
    let buffers: Vec<Vec<wgpu::Buffer>> = bindings
        .iter()
        .map(|it| it.contents().into_iter().map(filled).collect())
        .collect();
    let entries: Vec<_> = (0..)
        .zip(bindings)
        .map(|(binding, it)| it.entry(binding))
        .collect();
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    });
    let immediate_size = immediates.len() as u32 * 4;
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        immediate_size,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&pipeline_layout),
        module: &gpu.shader(shader, "main", (4, 1, 1)),
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    let parts: Vec<Vec<_>> = buffers
        .iter()
        .map(|all| all.iter().map(|it| it.as_entire_buffer_binding()).collect())
        .collect();
    let entries: Vec<_> = (0..)
        .zip(bindings.iter().zip(&parts))
        .map(|(binding, (it, parts))| wgpu::BindGroupEntry {
            binding,
            resource: match it {
                Binding::Array(_) => wgpu::BindingResource::BufferArray(parts),
                _ => wgpu::BindingResource::Buffer(parts[0].clone()),
            },
        })
        .collect();
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &layout,
        entries: &entries,
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    if !immediates.is_empty() {
        pass.set_immediates(0, bytemuck::cast_slice(immediates));
    }
    pass.dispatch_workgroups(1, 1, 1);
    drop(pass);
    let first = &buffers[0][0];
    let back = gpu.buffer(first.size(), Usage::MAP_READ | Usage::COPY_DST);
    encoder.copy_buffer_to_buffer(first, 0, &back, 0, first.size());
    gpu.queue.submit([encoder.finish()]);
    gpu.try_words(&back)
}
