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
    names: Vec<&'static str>,
    buffers: Vec<wgpu::Buffer>,
    lists: wgpu::BindGroup,
    arguments: wgpu::Buffer,
    written: wgpu::BindGroup,
    readback: wgpu::Buffer,
}

/// What a chain begins with, when the host brings it: bytes for the first lists, in place of a first pass
/// that would write them.
pub(crate) struct HostInput {
    pub(crate) lists: Vec<Vec<u8>>,
    pub(crate) replaced: usize,
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
            .map(|&size| buffer(size, Usage::COPY_SRC | Usage::COPY_DST))
            .collect();
        let readback = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: sizes[0].min(128),
            usage: Usage::MAP_READ | Usage::COPY_DST,
            mapped_at_creation: false,
        });
        let arguments = buffer(256, Usage::INDIRECT);
        let list_layout = layout(device, lists.len());
        let written_layout = layout(device, 1);
        let all = [users, &[&list_layout, &written_layout]].concat();
        let names = passes.iter().map(|pass| pass.entry).collect();
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
            names,
            lists: group(device, &list_layout, &refs),
            written: group(device, &written_layout, &[&arguments]),
            arguments,
            buffers: lists,
            readback,
        }
    }

    /// The same job as a run of a graph: the host writes what it begins with, waits, and has a look at the
    /// first words of the first list, where the counts are.
    pub(crate) fn run_with_input(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        users: &[wgpu::BindGroup],
        input: &HostInput,
    ) -> Vec<u8> {
        for (buffer, bytes) in self.buffers.iter().zip(&input.lists) {
            queue.write_buffer(buffer, 0, bytes);
        }
        let mut encoder = device.create_command_encoder(&Default::default());
        self.encode(&mut encoder, users, &self.passes[input.replaced..], None);
        let size = self.readback.size();
        encoder.copy_buffer_to_buffer(&self.buffers[0], 0, &self.readback, 0, size);
        queue.submit([encoder.finish()]);
        self.readback.map_async(wgpu::MapMode::Read, .., |_| ());
        let poll = device.poll(wgpu::PollType::wait_indefinitely());
        poll.expect("the device works");
        let bytes = self.readback.get_mapped_range(..);
        let bytes = bytes.expect("it is mapped").to_vec();
        self.readback.unmap();
        bytes
    }

    pub(crate) fn submit(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        users: &[wgpu::BindGroup],
    ) {
        let mut encoder = device.create_command_encoder(&Default::default());
        self.encode(&mut encoder, users, &self.passes, None);
        queue.submit([encoder.finish()]);
    }

    /// Each pass by itself, with the nanoseconds it took by the device's clock.
    pub(crate) fn trace(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        users: &[wgpu::BindGroup],
    ) -> Vec<(&'static str, f64)> {
        let count = 2 * self.passes.len() as u32;
        let size = 8 * u64::from(count);
        let queries = device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count,
        });
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let resolved = buffer(Usage::QUERY_RESOLVE | Usage::COPY_SRC);
        let read = buffer(Usage::MAP_READ | Usage::COPY_DST);
        let mut encoder = device.create_command_encoder(&Default::default());
        for (index, pass) in (0..).zip(&self.passes) {
            let writes = wgpu::ComputePassTimestampWrites {
                query_set: &queries,
                beginning_of_pass_write_index: Some(2 * index),
                end_of_pass_write_index: Some(2 * index + 1),
            };
            self.encode(
                &mut encoder,
                users,
                std::slice::from_ref(pass),
                Some(writes),
            );
        }
        encoder.resolve_query_set(&queries, 0..count, &resolved, 0);
        encoder.copy_buffer_to_buffer(&resolved, 0, &read, 0, size);
        queue.submit([encoder.finish()]);
        read.map_async(wgpu::MapMode::Read, .., |_| ());
        device
            .poll(wgpu::PollType::wait_indefinitely())
            .expect("the device works");
        let bytes = read.get_mapped_range(..).expect("it is mapped").to_vec();
        let tick = |at: usize| {
            let bytes = &bytes[8 * at..8 * at + 8];
            u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
        };
        let period = f64::from(queue.get_timestamp_period());
        let names = self.names.iter().enumerate();
        let times = names.map(|(index, &name)| {
            let ticks = tick(2 * index + 1).saturating_sub(tick(2 * index));
            (name, ticks as f64 * period)
        });
        times.collect()
    }

    fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        users: &[wgpu::BindGroup],
        passes: &[(wgpu::ComputePipeline, Dispatch)],
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes,
        });
        let lists = users.len() as u32;
        for (index, users) in (0..).zip(users) {
            pass.set_bind_group(index, users, &[]);
        }
        pass.set_bind_group(lists, &self.lists, &[]);
        for (pipeline, dispatch) in passes {
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
