//! Devices, and shader modules for them: from SPIR-V words, WGSL, or naga modules.

use std::borrow::Cow;
use std::error::Error;

use anywarp_program::naga;

use super::report_skip;

/// The source of a shader module.
#[derive(Clone)]
pub(crate) enum Shader {
    /// Passed through to the driver.
    Words(Vec<u32>),
    Wgsl(String),
    Module(Box<naga::Module>),
}

pub(crate) struct Gpu {
    pub(crate) name: String,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
}

impl Gpu {
    /// The CPU adapter.
    pub(crate) fn cpu() -> Self {
        Self::open(&anywarp_adapter::adapter(Default::default()))
    }

    /// The CPU adapter's interpreter: equal programs have bitwise equal results, even if WGSL allows a tolerance.
    #[allow(dead_code, reason = "not every test target wants it")]
    pub(crate) fn interpreter() -> Self {
        Self::open(&anywarp_adapter::adapter(
            anywarp_adapter::AdapterOptions::default().engine(anywarp_adapter::Engine::Interpreter),
        ))
    }

    /// A Vulkan device with SPIR-V passthrough, if there is one.
    pub(crate) fn vulkan() -> Option<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        let features = wgpu::Features::PASSTHROUGH_SHADERS
            | wgpu::Features::IMMEDIATES
            | wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES;
        let adapter = adapters.iter().find(|it| it.features().contains(features));
        if adapter.is_none() {
            report_skip("execution of SPIR-V: no Vulkan device takes it as it is");
        }
        Some(Self::open(adapter?))
    }

    fn open(adapter: &wgpu::Adapter) -> Self {
        // SAFETY: the experimental feature is passing shaders to the driver unchecked, and
        // these come from glslang or are checked by spirv-val.
        let experimental_features = unsafe { wgpu::ExperimentalFeatures::enabled() };
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: adapter.features(),
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

    /// Runs a closure and returns its result, or the first error that the device reports.
    pub(crate) fn guarded<T>(&self, run: impl FnOnce() -> T) -> Result<T, String> {
        let scopes = [wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::Internal]
            .map(|filter| self.device.push_error_scope(filter));
        let result = run();
        let errors = scopes
            .into_iter()
            .rev()
            .filter_map(|scope| pollster::block_on(scope.pop()));
        match errors.last() {
            Some(error) => Err(with_causes(&error)),
            None => Ok(result),
        }
    }

    /// Creates a shader module with one entry point. The workgroup size is used for compute shaders only.
    pub(crate) fn shader(
        &self,
        shader: &Shader,
        entry: &str,
        workgroup: (u32, u32, u32),
    ) -> wgpu::ShaderModule {
        let source = match shader {
            Shader::Words(words) => {
                let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
                    spirv: Some(Cow::Borrowed(words)),
                    entry_points: Cow::Owned(vec![wgpu::PassthroughShaderEntryPoint {
                        name: entry.to_owned().into(),
                        workgroup_size: workgroup,
                    }]),
                    ..Default::default()
                };
                // SAFETY: the words come from glslang or pass spirv-val, and accesses are in bounds.
                return unsafe { self.device.create_shader_module_passthrough(descriptor) };
            }
            Shader::Wgsl(text) => wgpu::ShaderSource::Wgsl(Cow::Borrowed(text)),
            Shader::Module(module) => {
                wgpu::ShaderSource::Naga(Cow::Owned(naga::Module::clone(module)))
            }
        };
        self.device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source,
            })
    }

    pub(crate) fn buffer(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    /// A buffer with this content.
    pub(crate) fn filled(&self, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let buffer = self.buffer(bytes.len() as u64, usage | wgpu::BufferUsages::COPY_DST);
        self.queue.write_buffer(&buffer, 0, bytes);
        buffer
    }

    /// Waits for submitted work and reads a mappable buffer; panics on errors.
    pub(crate) fn words(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        self.try_words(buffer).unwrap()
    }

    /// Like [`Self::words`], but returns errors of the device.
    pub(crate) fn try_words(&self, buffer: &wgpu::Buffer) -> Result<Vec<u32>, String> {
        buffer.map_async(wgpu::MapMode::Read, .., |_| {});
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|error| error.to_string())?;
        let view = buffer
            .get_mapped_range(..)
            .map_err(|error| error.to_string())?;
        Ok(bytemuck::pod_collect_to_vec(&view))
    }
}

/// The message of an error with its chain of sources.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text.replace("\n", " ")
}
