//! The devices of the tests, and what they read back.

use std::io::{Write, stderr};
use std::sync::OnceLock;

use anywarp_adapter::{AdapterOptions, Misbehaviour};
use anywarp_test_support::report_skip;
use wgpu::BufferUsages as Usage;

/// The messages of an error and its sources, down to an error of wgpu, which repeats its own sources.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        text = format!("{text}: {source}");
        let is_last = source.is::<wgpu::Error>() || source.is::<Box<wgpu::Error>>();
        next = source.source().filter(|_| !is_last);
    }
    text
}

/// A device and its queue.
pub(crate) struct Gpu {
    pub(crate) name: String,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
}

impl Gpu {
    fn open(adapter: &wgpu::Adapter) -> Self {
        Self::open_limited(adapter, adapter.limits())
    }

    fn open_limited(adapter: &wgpu::Adapter, limits: wgpu::Limits) -> Self {
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_limits: limits,
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).unwrap();
        Self {
            name: adapter.get_info().name,
            device,
            queue,
        }
    }

    /// The CPU adapter with a limit on the size of bindings.
    pub(crate) fn with_bindings_of(bytes: u64) -> Self {
        let adapter = anywarp_adapter::adapter(AdapterOptions::default());
        let limits = wgpu::Limits {
            max_storage_buffer_binding_size: bytes,
            ..adapter.limits()
        };
        Self::open_limited(&adapter, limits)
    }

    /// The CPU adapter with the default limits.
    pub(crate) fn with_default_limits() -> Self {
        Self::with_limits(wgpu::Limits::default())
    }

    /// The CPU adapter with the given limits.
    pub(crate) fn with_limits(limits: wgpu::Limits) -> Self {
        let adapter = anywarp_adapter::adapter(AdapterOptions::default());
        Self::open_limited(&adapter, limits)
    }

    /// The CPU adapter.
    pub(crate) fn cpu() -> Self {
        Self::open(&anywarp_adapter::adapter(AdapterOptions::default()))
    }

    /// The CPU adapter with workgroups in a pseudo-random order, and spurious failures of weak
    /// compare-exchanges.
    pub(crate) fn reordering(seed: u64) -> Self {
        let misbehaviour = Misbehaviour {
            seed,
            overlap: 1,
            spurious_failures: 0.25,
        };
        Self::open(&anywarp_adapter::adapter(
            AdapterOptions::default().misbehaviour(misbehaviour),
        ))
    }

    /// The Vulkan devices of this machine: a software driver, or a GPU. If there are none, this is
    /// reported once.
    pub(crate) fn vulkan(what: &str) -> Vec<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = instance.enumerate_adapters(wgpu::Backends::VULKAN);
        let adapters = pollster::block_on(adapters);
        static SAID: OnceLock<()> = OnceLock::new();
        if adapters.is_empty() {
            SAID.get_or_init(|| report_skip(&format!("{what} on Vulkan: no adapter")));
        }
        adapters.iter().map(Self::open).collect()
    }

    /// A buffer with these words, for shaders and copies.
    pub(crate) fn storage(&self, words: &[u32]) -> wgpu::Buffer {
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let buffer = self.buffer(4 * words.len().max(1) as u64, usage);
        self.queue
            .write_buffer(&buffer, 0, bytemuck::cast_slice(words));
        buffer
    }

    /// A buffer of zeros.
    pub(crate) fn zeros(&self, words: u64) -> wgpu::Buffer {
        self.buffer(
            4 * words,
            Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST,
        )
    }

    fn buffer(&self, size: u64, usage: Usage) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    /// A group of one writable buffer, and its layout.
    pub(crate) fn group(&self, buffer: &wgpu::Buffer) -> (wgpu::BindGroupLayout, wgpu::BindGroup) {
        let layout = (self.device).create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only: false },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: buffer.as_entire_binding(),
            }],
        });
        (layout, group)
    }

    /// The words of a buffer.
    pub(crate) fn read(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        let copy = self.buffer(buffer.size(), Usage::MAP_READ | Usage::COPY_DST);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        copy.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        let waited = self.device.poll(wgpu::PollType::wait_indefinitely());
        waited.unwrap();
        let view = copy.get_mapped_range(..).unwrap();
        bytemuck::pod_collect_to_vec(&view)
    }
}

/// Prints a message that is visible even if the test passes.
pub(crate) fn say(line: &str) {
    let _ = stderr().write_all(line.as_bytes());
}
