//! Helpers: the parts of an ordinary wgpu compute program, so that each test shows only its topic.

use std::sync::mpsc::channel;

use anywarp_adapter::AdapterOptions;
use wgpu::BufferUsages as Usage;

/// A device and its queue.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
}

impl Gpu {
    /// A device with WebGPU's default limits and no optional feature.
    pub(crate) fn new() -> Self {
        Self::open(
            AdapterOptions::default(),
            &wgpu::DeviceDescriptor::default(),
        )
    }

    /// A device with everything that the adapter has.
    pub(crate) fn full() -> Self {
        Self::full_with(AdapterOptions::default())
    }

    /// Like [`Gpu::full`], with options.
    pub(crate) fn full_with(options: AdapterOptions) -> Self {
        let adapter = anywarp_adapter::adapter(options.clone());
        let descriptor = wgpu::DeviceDescriptor {
            required_features: adapter.features(),
            required_limits: adapter.limits(),
            ..Default::default()
        };
        Self::open(options, &descriptor)
    }

    /// A device with all limits of the adapter, and these features alone.
    pub(crate) fn with_features(required_features: wgpu::Features) -> Self {
        let options = AdapterOptions::default();
        let descriptor = wgpu::DeviceDescriptor {
            required_features,
            required_limits: anywarp_adapter::adapter(options.clone()).limits(),
            ..Default::default()
        };
        Self::open(options, &descriptor)
    }

    fn open(options: AdapterOptions, descriptor: &wgpu::DeviceDescriptor<'_>) -> Self {
        let instance = anywarp_adapter::instance_with(options);
        let adapter = pollster::block_on(instance.request_adapter(&Default::default())).unwrap();
        let (device, queue) = pollster::block_on(adapter.request_device(descriptor)).unwrap();
        Self { device, queue }
    }

    /// A zeroed buffer.
    pub(crate) fn buffer(&self, size: u64, usage: Usage) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    /// A storage buffer with words in it, good for copies too.
    pub(crate) fn storage(&self, words: &[u32]) -> wgpu::Buffer {
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST | Usage::INDIRECT;
        let buffer = self.buffer(words.len() as u64 * 4, usage);
        self.queue
            .write_buffer(&buffer, 0, bytemuck::cast_slice(words));
        buffer
    }

    pub(crate) fn shader(&self, wgsl: &str) -> wgpu::ShaderModule {
        self.device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("test.wgsl"),
                source: wgpu::ShaderSource::Wgsl(wgsl.into()),
            })
    }

    /// The only entry point of a shader, with an automatic layout.
    pub(crate) fn pipeline(&self, wgsl: &str) -> wgpu::ComputePipeline {
        self.device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("test pipeline"),
                layout: None,
                module: &self.shader(wgsl),
                entry_point: None,
                compilation_options: Default::default(),
                cache: None,
            })
    }

    /// Whole buffers at bindings 0, 1, 2, ... of group 0.
    pub(crate) fn group(
        &self,
        pipeline: &wgpu::ComputePipeline,
        buffers: &[&wgpu::Buffer],
    ) -> wgpu::BindGroup {
        let entries = buffers.iter().enumerate();
        let entries: Vec<_> = entries
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding: binding as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    }

    /// Encodes and submits.
    pub(crate) fn submit(
        &self,
        encode: impl FnOnce(&mut wgpu::CommandEncoder),
    ) -> wgpu::SubmissionIndex {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encode(&mut encoder);
        self.queue.submit([encoder.finish()])
    }

    /// Encodes and submits one compute pass.
    pub(crate) fn pass(
        &self,
        encode: impl FnOnce(&mut wgpu::ComputePass<'_>),
    ) -> wgpu::SubmissionIndex {
        self.submit(|encoder| encode(&mut encoder.begin_compute_pass(&Default::default())))
    }

    /// Dispatches a shader over workgroups along x, with buffers at the bindings of group 0.
    pub(crate) fn run(&self, wgsl: &str, buffers: &[&wgpu::Buffer], workgroups: u32) {
        let pipeline = self.pipeline(wgsl);
        let group = self.group(&pipeline, buffers);
        self.pass(|pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(workgroups, 1, 1);
        });
    }

    /// Waits for everything submitted.
    pub(crate) fn wait(&self) {
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
    }

    /// Maps a buffer for reading, waits, and says how the mapping went.
    pub(crate) fn try_map(&self, buffer: &wgpu::Buffer) -> Result<(), wgpu::BufferAsyncError> {
        let (sender, receiver) = channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            sender.send(result).unwrap();
        });
        self.wait();
        receiver.recv().unwrap()
    }

    /// The words of a mappable buffer.
    pub(crate) fn read_mapped(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        self.try_map(buffer).unwrap();
        let words = bytemuck::cast_slice(&buffer.get_mapped_range(..).unwrap()).to_vec();
        buffer.unmap();
        words
    }

    /// The words of any buffer that can be copied from.
    pub(crate) fn read(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        let download = self.buffer(buffer.size(), Usage::MAP_READ | Usage::COPY_DST);
        self.submit(|encoder| {
            encoder.copy_buffer_to_buffer(buffer, 0, &download, 0, buffer.size());
        });
        self.read_mapped(&download)
    }

    /// Runs something and returns the error that wgpu reports for it, of any kind.
    pub(crate) fn error_of<T>(&self, action: impl FnOnce() -> T) -> String {
        let scopes = [
            wgpu::ErrorFilter::Validation,
            wgpu::ErrorFilter::OutOfMemory,
            wgpu::ErrorFilter::Internal,
        ]
        .map(|filter| self.device.push_error_scope(filter));
        drop(action());
        let mut text = String::new();
        // Scopes end in the reverse order.
        for scope in scopes.into_iter().rev() {
            if let Some(error) = pollster::block_on(scope.pop()) {
                text += &with_sources(&error);
            }
        }
        assert!(!text.is_empty(), "no error was reported");
        text
    }
}

/// An error with its causes, as a user sees it.
fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text += &format!("\n{cause}");
        source = cause.source();
    }
    text
}

/// Doubles every word of a storage buffer.
pub(crate) const DOUBLE: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x < arrayLength(&data) { data[id.x] *= 2u; }
    }";
