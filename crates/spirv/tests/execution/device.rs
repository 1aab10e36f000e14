//! Runs compute shaders with one or two buffers.

use std::borrow::Cow;

use anywarp_program::Program;
use wgpu::BufferUsages as Usage;

use crate::common::report_skip;

pub(crate) struct Device {
    pub(crate) name: String,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Device {
    pub(crate) fn cpu() -> Self {
        let adapter = anywarp_adapter::adapter(Default::default());
        Self::open(&adapter, wgpu::Features::empty())
    }

    /// A Vulkan device with SPIR-V passthrough, if there is one.
    pub(crate) fn vulkan() -> Option<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        let features = wgpu::Features::PASSTHROUGH_SHADERS;
        let adapter = adapters.iter().find(|it| it.features().contains(features));
        if adapter.is_none() {
            report_skip("execution of SPIR-V: no Vulkan device takes it as it is");
        }
        Some(Self::open(adapter?, features))
    }

    fn open(adapter: &wgpu::Adapter, features: wgpu::Features) -> Self {
        // SAFETY: the experimental feature is passing shaders to the driver unchecked, and these
        // come from glslang.
        let experimental_features = unsafe { wgpu::ExperimentalFeatures::enabled() };
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: features,
            required_limits: adapter.limits(),
            experimental_features,
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).unwrap();
        Self {
            name: adapter.get_info().name,
            device,
            queue,
        }
    }

    /// Runs SPIR-V words unchanged.
    pub(crate) fn run_spirv(&self, bytes: &[u8], input: &[u32]) -> Vec<u32> {
        let words: Vec<u32> = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|it| u32::from_le_bytes(*it))
            .collect();
        let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
            spirv: Some(Cow::Owned(words)),
            entry_points: Cow::Owned(vec![wgpu::PassthroughShaderEntryPoint {
                name: "main".into(),
                workgroup_size: (64, 1, 1),
            }]),
            ..Default::default()
        };
        // SAFETY: the words come from glslang, and all accesses are in bounds of the buffer.
        let module = unsafe { self.device.create_shader_module_passthrough(descriptor) };
        self.run(&module, input)
    }

    /// Runs a program.
    pub(crate) fn run_program(&self, program: &Program, input: &[u32]) -> Vec<u32> {
        self.run(&self.module(program), input)
    }

    fn module(&self, program: &Program) -> wgpu::ShaderModule {
        self.device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Naga(Cow::Owned(program.module().clone())),
            })
    }

    /// Runs one workgroup of a program with two buffers.
    pub(crate) fn run_both(
        &self,
        program: &Program,
        first: &[u32],
        second: &[u32],
    ) -> (Vec<u32>, Vec<u32>) {
        let mut after = self
            .run_buffers(&self.module(program), &[first, second])
            .into_iter();
        (after.next().unwrap(), after.next().unwrap())
    }

    fn run(&self, module: &wgpu::ShaderModule, input: &[u32]) -> Vec<u32> {
        self.run_buffers(module, &[input]).remove(0)
    }

    /// Runs one workgroup with these buffers at the bindings 0, 1, ....
    fn run_buffers(&self, module: &wgpu::ShaderModule, inputs: &[&[u32]]) -> Vec<Vec<u32>> {
        let device = &self.device;
        let size = |input: &[u32]| size_of_val(input) as u64;
        let buffer = |size, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let buffers: Vec<_> = inputs.iter().map(|it| buffer(size(it), usage)).collect();
        for (buffer, input) in buffers.iter().zip(inputs) {
            self.queue
                .write_buffer(buffer, 0, bytemuck::cast_slice(input));
        }
        let entries = (0..inputs.len() as u32).map(|binding| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: false },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        });
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &entries.collect::<Vec<_>>(),
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&pipeline_layout),
            module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        let entries = buffers
            .iter()
            .enumerate()
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding: binding as u32,
                resource: buffer.as_entire_binding(),
            });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &entries.collect::<Vec<_>>(),
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        let usage = Usage::MAP_READ | Usage::COPY_DST;
        let backs: Vec<_> = inputs.iter().map(|it| buffer(size(it), usage)).collect();
        for ((data, back), input) in buffers.iter().zip(&backs).zip(inputs) {
            encoder.copy_buffer_to_buffer(data, 0, back, 0, size(input));
        }
        self.queue.submit([encoder.finish()]);
        for back in &backs {
            back.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        }
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let read = |back: &wgpu::Buffer| {
            let view = back.get_mapped_range(..).unwrap();
            bytemuck::pod_collect_to_vec(&view)
        };
        backs.iter().map(read).collect()
    }
}
