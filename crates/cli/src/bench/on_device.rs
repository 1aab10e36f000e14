//! A benchmark task on a wgpu device, either the CPU device or one of a driver.
//!
//! Timed is one submission with all passes of the task, from the call of `submit` until wgpu reports its completion.
//! Commands are recorded before that.

use std::time::{Duration, Instant};

use super::contender::Prepared;
use super::task::{Contents, Pass, Task};
use crate::error::Error;
use anywarp::Device;
use anywarp::panics::catch_panic;
use anywarp::read_buffer;

/// A task with its pipelines and buffers.
pub(super) struct OnDevice<'a> {
    device: &'a Device,
    passes: &'a [Pass],
    pipelines: Vec<wgpu::ComputePipeline>,
    buffers: Vec<wgpu::Buffer>,
    /// The bind group of each pass, if it binds anything.
    groups: Vec<Option<wgpu::BindGroup>>,
}

impl<'a> OnDevice<'a> {
    /// Compiles shaders and fills buffers.
    pub(super) fn new(device: &'a Device, task: &'a Task) -> Result<Self, Error> {
        let pipelines = task.shaders.iter().map(|text| pipeline(device, text));
        let pipelines: Vec<_> = pipelines.collect::<Result<_, _>>()?;
        let buffers = task.buffers.iter().map(|it| buffer(device, it));
        let buffers: Vec<_> = buffers.collect::<Result<_, _>>()?;
        let groups = bind(device, &pipelines, &buffers, &task.passes);
        device.check()?;
        Ok(Self {
            device,
            passes: &task.passes,
            pipelines,
            buffers,
            groups,
        })
    }

    fn record(&self) -> wgpu::CommandBuffer {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut compute = encoder.begin_compute_pass(&Default::default());
        let mut set: Option<&Pass> = None;
        for (pass, group) in self.passes.iter().zip(&self.groups) {
            // A pipeline or bind group that is already set is not set again, as in a well-written program.
            if set != Some(pass) {
                compute.set_pipeline(&self.pipelines[pass.shader]);
                if let Some(group) = group {
                    compute.set_bind_group(0, group, &[]);
                }
                set = Some(pass);
            }
            let [x, y, z] = pass.grid;
            compute.dispatch_workgroups(x, y, z);
        }
        drop(compute);
        encoder.finish()
    }
}

impl Prepared for OnDevice<'_> {
    fn run(&mut self) -> Result<Duration, Error> {
        let commands = self.record();
        let begin = Instant::now();
        self.device.queue().submit([commands]);
        self.device.wait(|| ())?;
        Ok(begin.elapsed())
    }

    fn read(&mut self, buffer: usize) -> Result<Vec<u32>, Error> {
        let buffer = &self.buffers[buffer];
        let bytes = read_buffer(self.device, buffer, buffer.size())?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}

/// The pipeline of a shader's `main`.
pub(super) fn pipeline(device: &Device, text: &str) -> Result<wgpu::ComputePipeline, Error> {
    // naga's back ends run here, and they panic on input that they do not support.
    let made = catch_panic(|| {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        })
    });
    device.check()?;
    Ok(made.map_err(|panic| device.refused(panic))?)
}

/// A buffer with its initial contents.
pub(super) fn buffer(device: &Device, contents: &Contents) -> Result<wgpu::Buffer, Error> {
    let descriptor = wgpu::BufferDescriptor {
        label: None,
        size: contents.bytes(),
        usage: wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::UNIFORM
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    };
    let buffer = device.create_buffer(&descriptor);
    device.check()?;
    if let Contents::Words(words) = contents {
        let bytes = bytemuck::cast_slice(words);
        device.queue().write_buffer(&buffer, 0, bytes);
        // wgpu's staging copy is freed before the next one is made.
        device.queue().submit([]);
        device.wait(|| ())?;
    }
    Ok(buffer)
}

fn bind(
    device: &Device,
    pipelines: &[wgpu::ComputePipeline],
    buffers: &[wgpu::Buffer],
    passes: &[Pass],
) -> Vec<Option<wgpu::BindGroup>> {
    let mut groups: Vec<Option<wgpu::BindGroup>> = Vec::new();
    for (number, pass) in passes.iter().enumerate() {
        let is_again = number > 0 && passes[number - 1] == *pass;
        let group = match groups.last() {
            Some(last) if is_again => last.clone(),
            _ => bind_pass(device, &pipelines[pass.shader], buffers, pass),
        };
        groups.push(group);
    }
    groups
}

fn bind_pass(
    device: &Device,
    pipeline: &wgpu::ComputePipeline,
    buffers: &[wgpu::Buffer],
    pass: &Pass,
) -> Option<wgpu::BindGroup> {
    if pass.buffers.is_empty() {
        return None;
    }
    let entry = |(binding, buffer): (u32, &usize)| wgpu::BindGroupEntry {
        binding,
        resource: buffers[*buffer].as_entire_binding(),
    };
    let entries: Vec<_> = (0..).zip(&pass.buffers).map(entry).collect();
    Some(device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    }))
}
