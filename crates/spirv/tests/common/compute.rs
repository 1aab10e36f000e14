//! Runs compute shaders with buffers at the bindings 0, 1, ... of one group.

use wgpu::BufferUsages as Usage;

use super::gpu::{Gpu, Shader};

/// A shader and its input.
pub(crate) struct Dispatch<'a> {
    pub(crate) shader: &'a Shader,
    pub(crate) entry: &'a str,
    pub(crate) workgroup: (u32, u32, u32),
    pub(crate) groups: u32,
    /// The contents of each buffer, and whether it is a uniform buffer.
    pub(crate) buffers: &'a [(Vec<u32>, bool)],
    /// Values of overrides, for shaders other than words, where they are set already.
    pub(crate) constants: &'a [(String, f64)],
}

/// Runs a shader and returns the contents of the buffers.
pub(crate) fn run(gpu: &Gpu, dispatch: &Dispatch<'_>) -> Result<Vec<Vec<u32>>, String> {
    gpu.guarded(|| unguarded(gpu, dispatch))?
}

fn unguarded(gpu: &Gpu, dispatch: &Dispatch<'_>) -> Result<Vec<Vec<u32>>, String> {
    let device = &gpu.device;
    let usage = Usage::STORAGE | Usage::UNIFORM | Usage::COPY_SRC;
    let buffers: Vec<_> = dispatch
        .buffers
        .iter()
        .map(|(words, _)| gpu.filled(bytemuck::cast_slice(words), usage))
        .collect();
    let entries: Vec<_> = (0..)
        .zip(dispatch.buffers)
        .map(|(binding, (_, is_uniform))| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: if *is_uniform {
                    wgpu::BufferBindingType::Uniform
                } else {
                    wgpu::BufferBindingType::Storage { read_only: false }
                },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        })
        .collect();
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        bind_group_layouts: &[Some(&layout)],
        ..Default::default()
    });
    let module = gpu.shader(dispatch.shader, dispatch.entry, dispatch.workgroup);
    let constants: Vec<_> = dispatch
        .constants
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some(dispatch.entry),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &constants,
            ..Default::default()
        },
        cache: None,
    });
    let entries: Vec<_> = (0..)
        .zip(&buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
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
    pass.dispatch_workgroups(dispatch.groups, 1, 1);
    drop(pass);
    let backs: Vec<_> = buffers
        .iter()
        .map(|buffer| {
            let back = gpu.buffer(buffer.size(), Usage::MAP_READ | Usage::COPY_DST);
            encoder.copy_buffer_to_buffer(buffer, 0, &back, 0, buffer.size());
            back
        })
        .collect();
    gpu.queue.submit([encoder.finish()]);
    backs.iter().map(|back| gpu.try_words(back)).collect()
}
