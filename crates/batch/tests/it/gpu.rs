//! The devices of the tests.

use std::fs::OpenOptions;
use std::io::{Write, stderr};

use anywarp_adapter::{AdapterOptions, Misbehaviour};
use wgpu::BufferUsages as Usage;

/// Which buffers can be mapped: with any buffer mappable, the slots use fewer copies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mapping {
    SomeBuffers,
    AnyBuffer,
}

impl Mapping {
    fn features(self) -> wgpu::Features {
        match self {
            Self::SomeBuffers => wgpu::Features::empty(),
            Self::AnyBuffer => wgpu::Features::MAPPABLE_PRIMARY_BUFFERS,
        }
    }
}

pub(crate) struct Gpu {
    pub(crate) name: String,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
}

impl Gpu {
    fn open(adapter: &wgpu::Adapter, mapping: Mapping) -> Self {
        Self::open_limited(adapter, mapping, adapter.limits())
    }

    fn open_limited(adapter: &wgpu::Adapter, mapping: Mapping, limits: wgpu::Limits) -> Self {
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_limits: limits,
            required_features: mapping.features(),
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).unwrap();
        Self {
            name: format!("{}, {mapping:?}", adapter.get_info().name),
            device,
            queue,
        }
    }

    pub(crate) fn cpu() -> Self {
        Self::cpu_with(AdapterOptions::default())
    }

    pub(crate) fn cpu_with(options: AdapterOptions) -> Self {
        Self::open(&anywarp_adapter::adapter(options), Mapping::SomeBuffers)
    }

    /// A device with other limits than the adapter's own.
    pub(crate) fn cpu_limited(change: impl Fn(&mut wgpu::Limits)) -> Self {
        let adapter = anywarp_adapter::adapter(AdapterOptions::default());
        let mut limits = adapter.limits();
        change(&mut limits);
        Self::open_limited(&adapter, Mapping::SomeBuffers, limits)
    }

    pub(crate) fn reordering(misbehaviour: Misbehaviour, mapping: Mapping) -> Self {
        let options = AdapterOptions::default().misbehaviour(misbehaviour);
        Self::open(&anywarp_adapter::adapter(options), mapping)
    }

    /// The Vulkan devices of this machine: a software driver, or a GPU.
    fn vulkan() -> Vec<wgpu::Adapter> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN))
    }

    /// Runs a test on every well-behaved device of this machine, and prints on stderr which ones.
    /// Where the device can map any buffer, the test runs once with that and once without.
    pub(crate) fn each(what: &str, test: impl Fn(&Self)) {
        let vulkan = Self::vulkan();
        if vulkan.is_empty() {
            report_skip(&format!("{what} on Vulkan: no adapter"));
        }
        let cpu = anywarp_adapter::adapter(AdapterOptions::default());
        for adapter in [cpu].iter().chain(&vulkan) {
            for mapping in [Mapping::SomeBuffers, Mapping::AnyBuffer] {
                if !adapter.features().contains(mapping.features()) {
                    continue;
                }
                let gpu = Self::open(adapter, mapping);
                let line = format!("{what} on {}\n", gpu.name);
                let _ = stderr().write_all(line.as_bytes());
                test(&gpu);
            }
        }
    }

    /// A buffer of zeros for shaders and copies.
    pub(crate) fn storage(&self, size: u64) -> wgpu::Buffer {
        self.buffer(size, Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST)
    }

    pub(crate) fn buffer(&self, size: u64, usage: Usage) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    /// A layout of storage buffers, all writable, and a group of these buffers.
    pub(crate) fn group(
        &self,
        buffers: &[&wgpu::Buffer],
    ) -> (wgpu::BindGroupLayout, wgpu::BindGroup) {
        let numbered = || (0..).zip(buffers);
        let entries: Vec<_> = numbered()
            .map(|(binding, _)| wgpu::BindGroupLayoutEntry {
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
        let layout = (self.device).create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &entries,
        });
        let entries: Vec<_> = numbered()
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &entries,
        });
        (layout, group)
    }

    pub(crate) fn module(&self, wgsl: &str) -> wgpu::ShaderModule {
        (self.device).create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(wgsl.into()),
        })
    }

    pub(crate) fn pipeline(
        &self,
        module: &wgpu::ShaderModule,
        entry_point: &str,
        layouts: &[&wgpu::BindGroupLayout],
    ) -> wgpu::ComputePipeline {
        let layouts: Vec<_> = layouts.iter().map(|layout| Some(*layout)).collect();
        let layout = (self.device).create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &layouts,
            immediate_size: 0,
        });
        (self.device).create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry_point),
            layout: Some(&layout),
            module,
            entry_point: Some(entry_point),
            compilation_options: Default::default(),
            cache: None,
        })
    }

    /// Waits until the device has done everything, uploads included.
    pub(crate) fn settle(&self) {
        self.queue.submit([]);
        (self.device)
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
    }

    pub(crate) fn read(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        self.settle();
        let copy = self.buffer(buffer.size(), Usage::MAP_READ | Usage::COPY_DST);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        copy.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        self.settle();
        let view = copy.get_mapped_range(..).unwrap();
        words(&view)
    }
}

pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    bytemuck::pod_collect_to_vec(bytes)
}

/// Reports a skipped test to people and CI; `ANYWARP_SKIP_LOG` names the file.
fn report_skip(reason: &str) {
    let line = format!("SKIPPED: {reason}\n");
    // Written to the stream itself: the harness hides the output of print macros in a test that
    // passes.
    let _ = stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("ANYWARP_SKIP_LOG") {
        let log = OpenOptions::new().create(true).append(true).open(path);
        log.and_then(|mut log| log.write_all(line.as_bytes()))
            .expect("the file that ANYWARP_SKIP_LOG names can be written");
    }
}
