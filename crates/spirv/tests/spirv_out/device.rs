//! Runs compute shaders, as SPIR-V words or as naga modules.

use std::borrow::Cow;

use anywarp_adapter::{AdapterOptions, SubgroupSize};
use anywarp_program::naga;
use anywarp_tests::{Compiled, Dispatch, Feature, Memory, RunError, Session};

use crate::spirv_out::validator::report_skip;

/// The source of a shader module.
pub(crate) enum Shader {
    Words(Vec<u32>),
    Module(Box<naga::Module>),
}

pub(crate) struct Device {
    session: Session,
    /// Minimal and maximal subgroup size.
    subgroup_sizes: [u32; 2],
}

/// Optional device features that cases may need.
const OPTIONAL: wgpu::Features = wgpu::Features::IMMEDIATES
    .union(wgpu::Features::SHADER_F16)
    .union(wgpu::Features::SHADER_F64)
    .union(wgpu::Features::SHADER_I16)
    .union(wgpu::Features::SHADER_INT64)
    .union(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS)
    .union(wgpu::Features::SHADER_INT64_ATOMIC_MIN_MAX)
    .union(wgpu::Features::SHADER_FLOAT32_ATOMIC)
    .union(wgpu::Features::SUBGROUP)
    .union(wgpu::Features::SUBGROUP_BARRIER)
    .union(wgpu::Features::MEMORY_DECORATION_COHERENT)
    .union(wgpu::Features::MEMORY_DECORATION_VOLATILE)
    .union(wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES)
    .union(wgpu::Features::TEXTURE_FORMAT_16BIT_NORM)
    .union(wgpu::Features::TEXTURE_ATOMIC)
    .union(wgpu::Features::TEXTURE_INT64_ATOMIC)
    .union(wgpu::Features::BGRA8UNORM_STORAGE)
    .union(wgpu::Features::DEPTH32FLOAT_STENCIL8)
    .union(wgpu::Features::TEXTURE_BINDING_ARRAY)
    .union(wgpu::Features::BUFFER_BINDING_ARRAY)
    .union(wgpu::Features::STORAGE_RESOURCE_BINDING_ARRAY)
    .union(wgpu::Features::UNIFORM_BUFFER_BINDING_ARRAYS)
    .union(wgpu::Features::SAMPLED_TEXTURE_AND_STORAGE_BUFFER_ARRAY_NON_UNIFORM_INDEXING);

impl Device {
    /// The CPU adapter, with the subgroup size that most cases on subgroups expect.
    pub(crate) fn cpu() -> Self {
        let options = AdapterOptions::default().subgroup_size(SubgroupSize::new(8));
        Self::open(&anywarp_adapter::adapter(options), OPTIONAL)
    }

    /// A Vulkan device with SPIR-V passthrough, if there is one.
    pub(crate) fn vulkan() -> Option<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        let features = wgpu::Features::PASSTHROUGH_SHADERS | wgpu::Features::IMMEDIATES;
        let adapter = adapters.iter().find(|it| it.features().contains(features));
        if adapter.is_none() {
            report_skip("execution of written SPIR-V: no Vulkan device takes it as it is");
        }
        Some(Self::open(adapter?, features | OPTIONAL))
    }

    fn open(adapter: &wgpu::Adapter, features: wgpu::Features) -> Self {
        // SAFETY: the experimental feature is passing shaders to the driver unchecked, and
        // spirv-val checks these.
        let experimental_features = unsafe { wgpu::ExperimentalFeatures::enabled() };
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: adapter.features() & features,
            required_limits: adapter.limits(),
            experimental_features,
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).unwrap();
        let info = adapter.get_info();
        Self {
            session: Session { device, queue },
            subgroup_sizes: [info.subgroup_min_size, info.subgroup_max_size],
        }
    }

    pub(crate) fn has(&self, feature: &Feature) -> bool {
        self.session.device.features().contains(feature.requested)
    }

    pub(crate) fn has_subgroups_of(&self, size: SubgroupSize) -> bool {
        self.subgroup_sizes == [size.get(); 2]
    }

    /// Runs a dispatch and returns the contents of the buffers. `module` gives the types of the bindings.
    pub(crate) fn run(
        &self,
        shader: &Shader,
        module: &naga::Module,
        dispatch: &Dispatch,
    ) -> Result<Memory, RunError> {
        let entry = module.entry_points.first();
        let entry = entry.ok_or(RunError("no entry point".to_owned()))?;
        let run = || {
            let compiled = Compiled {
                module,
                shader: &self.shader(shader, entry),
                entry: &entry.name,
                constants: &[],
            };
            self.session.run_compiled(dispatch, &compiled)
        };
        match self.session.guarded(run) {
            (_, Some(error)) => Err(error),
            (result, None) => result,
        }
    }

    fn shader(&self, shader: &Shader, entry: &naga::EntryPoint) -> wgpu::ShaderModule {
        let words = match shader {
            Shader::Module(module) => {
                return self
                    .session
                    .device
                    .create_shader_module(wgpu::ShaderModuleDescriptor {
                        label: None,
                        source: wgpu::ShaderSource::Naga(Cow::Owned(naga::Module::clone(module))),
                    });
            }
            Shader::Words(words) => words,
        };
        let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
            spirv: Some(Cow::Borrowed(words)),
            entry_points: Cow::Owned(vec![wgpu::PassthroughShaderEntryPoint {
                name: entry.name.clone().into(),
                workgroup_size: entry.workgroup_size.into(),
            }]),
            ..Default::default()
        };
        // SAFETY: spirv-val accepts the words, and all accesses of the cases are in bounds.
        unsafe {
            self.session
                .device
                .create_shader_module_passthrough(descriptor)
        }
    }
}
