//! Passes one after the other on plain wgpu.

use wgpu::BufferUsages as Usage;

/// How a pass is started.
#[derive(Clone, Copy)]
pub(crate) enum Dispatch {
    /// With a size that is known.
    Direct([u32; 3]),
    /// With a size at this byte of the arguments.
    Indirect(u64),
    /// One workgroup that writes arguments.
    Prepare,
}

pub(crate) struct Pass {
    entry: &'static str,
    dispatch: Dispatch,
    constants: Vec<(&'static str, f64)>,
}

impl Pass {
    pub(crate) fn new(entry: &'static str, dispatch: Dispatch) -> Self {
        Self {
            entry,
            dispatch,
            constants: Vec::new(),
        }
    }

    pub(crate) fn with(mut self, constants: &[(&'static str, f64)]) -> Self {
        self.constants.extend(constants);
        self
    }
}

/// Passes with their buffers: the user's in group 0, lists in group 1, arguments in group 2, which is
/// bound only where they are written.
pub(crate) struct Chain {
    passes: Vec<(wgpu::ComputePipeline, Dispatch)>,
    lists: wgpu::BindGroup,
    arguments: wgpu::Buffer,
    written: wgpu::BindGroup,
}

impl Chain {
    pub(crate) fn new(
        device: &wgpu::Device,
        text: &str,
        users: &[&wgpu::BindGroupLayout],
        sizes: &[u64],
        passes: Vec<Pass>,
    ) -> Self {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let buffer = |size: u64, usage: Usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage: Usage::STORAGE | usage,
                mapped_at_creation: false,
            })
        };
        let lists: Vec<_> = sizes
            .iter()
            .map(|&size| buffer(size, Usage::empty()))
            .collect();
        let arguments = buffer(256, Usage::INDIRECT);
        let list_layout = layout(device, lists.len());
        let written_layout = layout(device, 1);
        let all = [users, &[&list_layout, &written_layout]].concat();
        let made = passes.iter().map(|pass| {
            let prepares = matches!(pass.dispatch, Dispatch::Prepare);
            let layouts = &all[..all.len() - usize::from(!prepares)];
            let layouts: Vec<_> = layouts.iter().map(|layout| Some(*layout)).collect();
            let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &layouts,
                immediate_size: 0,
            });
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(pass.entry),
                layout: Some(&layout),
                module: &module,
                entry_point: Some(pass.entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &pass.constants,
                    ..Default::default()
                },
                cache: None,
            });
            (pipeline, pass.dispatch)
        });
        let passes = made.collect();
        let refs: Vec<_> = lists.iter().collect();
        Self {
            passes,
            lists: group(device, &list_layout, &refs),
            written: group(device, &written_layout, &[&arguments]),
            arguments,
        }
    }

    pub(crate) fn submit(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        users: &[wgpu::BindGroup],
    ) {
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        let lists = users.len() as u32;
        for (index, users) in (0..).zip(users) {
            pass.set_bind_group(index, users, &[]);
        }
        pass.set_bind_group(lists, &self.lists, &[]);
        for (pipeline, dispatch) in &self.passes {
            pass.set_pipeline(pipeline);
            match *dispatch {
                Dispatch::Direct([x, y, z]) => pass.dispatch_workgroups(x, y, z),
                Dispatch::Indirect(at) => {
                    // A buffer is read as arguments or written, not both.
                    pass.set_bind_group(lists + 1, None, &[]);
                    pass.dispatch_workgroups_indirect(&self.arguments, at);
                }
                Dispatch::Prepare => {
                    pass.set_bind_group(lists + 1, &self.written, &[]);
                    pass.dispatch_workgroups(1, 1, 1);
                }
            }
        }
        drop(pass);
        queue.submit([encoder.finish()]);
    }
}

fn layout(device: &wgpu::Device, count: usize) -> wgpu::BindGroupLayout {
    let entries: Vec<_> = (0..count as u32)
        .map(|binding| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: false },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        })
        .collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    })
}

fn group(
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
