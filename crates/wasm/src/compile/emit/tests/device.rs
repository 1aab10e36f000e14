//! Runs a kernel on the CPU device.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use anywarp_adapter::AdapterOptions;
use wgpu::util::DeviceExt;

use crate::compile::{BindingRole, CompiledKernel, ParamWord};

/// What a launch binds.
#[derive(Clone, Debug, Default)]
pub(super) struct Launch {
    pub threads: u32,
    pub workgroups: u32,
    /// Bits of the arguments.
    pub arguments: Vec<u64>,
    /// The buffers of the caller, by group and binding.
    pub buffers: HashMap<(u32, u32), Vec<u32>>,
    pub state: Vec<u32>,
    pub pixels: Vec<u32>,
    pub picture: [u32; 2],
}

/// What is in the buffers afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub status: Vec<u32>,
    pub buffers: HashMap<(u32, u32), Vec<u32>>,
    pub state: Vec<u32>,
    pub linear: Vec<u32>,
}

fn device() -> &'static (wgpu::Device, wgpu::Queue) {
    static DEVICE: OnceLock<(wgpu::Device, wgpu::Queue)> = OnceLock::new();
    DEVICE.get_or_init(|| {
        let adapter = anywarp_adapter::adapter(AdapterOptions::default());
        let wanted = wgpu::Features::SHADER_INT64 | wgpu::Features::SHADER_F64;
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: adapter.features() & wanted,
            required_limits: adapter.limits(),
            ..Default::default()
        });
        pollster::block_on(request).unwrap()
    })
}

impl Launch {
    fn param(&self, word: ParamWord) -> u32 {
        match word {
            ParamWord::Threads => self.threads,
            ParamWord::Time => 0,
            ParamWord::PictureWidth => self.picture[0],
            ParamWord::PictureHeight => self.picture[1],
            ParamWord::Argument { index, word } => {
                (self.arguments[index as usize] >> (32 * word)) as u32
            }
        }
    }

    fn words(&self, role: &BindingRole, kernel: &CompiledKernel) -> Vec<u32> {
        match role {
            BindingRole::Buffer { group, binding } => self.buffers[&(*group, *binding)].clone(),
            BindingRole::Params => kernel.params.iter().map(|&word| self.param(word)).collect(),
            BindingRole::Status => {
                vec![0; kernel.status.unwrap().words() as usize * self.threads as usize]
            }
            BindingRole::Data(words) => words.clone(),
            BindingRole::State | BindingRole::Input => self.state.clone(),
            BindingRole::Pixels => self.pixels.clone(),
            BindingRole::Linear { words } => vec![0; *words as usize * self.threads as usize],
        }
    }

    /// Runs a kernel.
    pub(super) fn run(&self, kernel: &CompiledKernel) -> Outcome {
        let (device, queue) = device();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Naga(Cow::Owned(kernel.module.clone())),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some(&kernel.entry_point),
            compilation_options: Default::default(),
            cache: None,
        });
        let buffers: Vec<_> = kernel
            .bindings
            .iter()
            .map(|binding| {
                let words = self.words(&binding.role, kernel);
                let mut usage = wgpu::BufferUsages::COPY_SRC;
                usage |= match binding.role {
                    BindingRole::Params => wgpu::BufferUsages::UNIFORM,
                    _ => wgpu::BufferUsages::STORAGE,
                };
                device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                    label: None,
                    contents: bytemuck::cast_slice(&words),
                    usage,
                })
            })
            .collect();
        let mut encoder = device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            for group in 0..4 {
                let own = kernel
                    .bindings
                    .iter()
                    .zip(&buffers)
                    .filter(|(binding, _)| binding.group == group);
                let entries: Vec<_> = own
                    .map(|(binding, buffer)| wgpu::BindGroupEntry {
                        binding: binding.binding,
                        resource: buffer.as_entire_binding(),
                    })
                    .collect();
                if !entries.is_empty() {
                    let bound = device.create_bind_group(&wgpu::BindGroupDescriptor {
                        label: None,
                        layout: &pipeline.get_bind_group_layout(group),
                        entries: &entries,
                    });
                    pass.set_bind_group(group, &bound, &[]);
                }
            }
            pass.dispatch_workgroups(self.workgroups, 1, 1);
        }
        queue.submit([encoder.finish()]);
        let mut outcome = Outcome::default();
        for (binding, buffer) in kernel.bindings.iter().zip(&buffers) {
            let words = || read(device, queue, buffer);
            match &binding.role {
                BindingRole::Status => outcome.status = words(),
                BindingRole::State => outcome.state = words(),
                BindingRole::Linear { .. } => outcome.linear = words(),
                BindingRole::Buffer { group, binding } => {
                    outcome.buffers.insert((*group, *binding), words());
                }
                _ => {}
            }
        }
        outcome
    }
}

fn read(device: &wgpu::Device, queue: &wgpu::Queue, buffer: &wgpu::Buffer) -> Vec<u32> {
    let copy = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: buffer.size(),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, buffer.size());
    queue.submit([encoder.finish()]);
    copy.slice(..)
        .map_async(wgpu::MapMode::Read, |result| result.unwrap());
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let view = copy.slice(..).get_mapped_range().unwrap();
    bytemuck::cast_slice(&view).to_vec()
}
