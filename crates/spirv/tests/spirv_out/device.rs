//! Devices that run compute shaders: as words of SPIR-V, or as modules of naga.

use std::borrow::Cow;

use anywarp_adapter::{AdapterOptions, SubgroupSize};
use anywarp_program::naga;
use anywarp_tests::{Dispatch, Feature, Memory, RunError, Slot};
use wgpu::BufferUsages as Usage;

use crate::validator::report_skip;

/// What is run.
pub(crate) enum Shader {
    Words(Vec<u32>),
    Module(Box<naga::Module>),
}

pub(crate) struct Device {
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// The least and the greatest.
    subgroup_sizes: [u32; 2],
}

/// What a case may need.
const OPTIONAL: wgpu::Features = wgpu::Features::IMMEDIATES
    .union(wgpu::Features::SHADER_F16)
    .union(wgpu::Features::SHADER_F64)
    .union(wgpu::Features::SHADER_I16)
    .union(wgpu::Features::SHADER_INT64)
    .union(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS)
    .union(wgpu::Features::SHADER_INT64_ATOMIC_MIN_MAX)
    .union(wgpu::Features::SHADER_FLOAT32_ATOMIC)
    .union(wgpu::Features::SUBGROUP)
    .union(wgpu::Features::SUBGROUP_BARRIER);

impl Device {
    /// Our own, with subgroups of the size that most cases about them have.
    pub(crate) fn cpu() -> Self {
        let options = AdapterOptions {
            subgroup_size: SubgroupSize::new(8).unwrap_or_default(),
            ..Default::default()
        };
        Self::open(&anywarp_adapter::adapter(options), OPTIONAL)
    }

    /// A Vulkan device that takes SPIR-V as it is, if there is one.
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
        // SAFETY: what is experimental here is handing shaders to the driver unchecked, and
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
            device,
            queue,
            subgroup_sizes: [info.subgroup_min_size, info.subgroup_max_size],
        }
    }

    pub(crate) fn has(&self, feature: &Feature) -> bool {
        self.device.features().contains(feature.requested)
    }

    pub(crate) fn has_subgroups_of(&self, size: SubgroupSize) -> bool {
        self.subgroup_sizes == [size.get(); 2]
    }

    /// What the buffers of a dispatch hold afterwards. `module` says what they are.
    pub(crate) fn run(
        &self,
        shader: &Shader,
        module: &naga::Module,
        dispatch: &Dispatch,
    ) -> Result<Memory, RunError> {
        let scopes = [wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::Internal]
            .map(|filter| self.device.push_error_scope(filter));
        let result = self.unguarded(shader, module, dispatch);
        let errors = scopes
            .into_iter()
            .rev()
            .filter_map(|scope| pollster::block_on(scope.pop()));
        match errors.last() {
            Some(error) => Err(RunError::from_display(error)),
            None => result,
        }
    }

    fn unguarded(
        &self,
        shader: &Shader,
        module: &naga::Module,
        dispatch: &Dispatch,
    ) -> Result<Memory, RunError> {
        let device = &self.device;
        let buffers: Vec<_> = dispatch
            .memory
            .iter()
            .map(|(slot, words)| {
                let usage = Usage::STORAGE | Usage::UNIFORM | Usage::COPY_SRC | Usage::COPY_DST;
                let buffer = self.buffer(words.len() as u64 * 4, usage);
                self.queue
                    .write_buffer(&buffer, 0, bytemuck::cast_slice(words));
                (*slot, buffer)
            })
            .collect();
        let (layouts, groups): (Vec<_>, Vec<_>) = self.groups(module, &buffers).into_iter().unzip();
        let layouts: Vec<_> = layouts.iter().map(Some).collect();
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &layouts,
            immediate_size: dispatch.immediates.len() as u32 * 4,
        });
        let entry = module
            .entry_points
            .first()
            .ok_or(RunError("no entry point".to_owned()))?;
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &self.shader(shader, entry),
            entry_point: Some(&entry.name),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        for (index, group) in groups.iter().enumerate() {
            pass.set_bind_group(index as u32, group, &[]);
        }
        if !dispatch.immediates.is_empty() {
            pass.set_immediates(0, bytemuck::cast_slice(&dispatch.immediates));
        }
        let [x, y, z] = dispatch.workgroups;
        pass.dispatch_workgroups(x, y, z);
        drop(pass);
        let backs: Vec<_> = buffers
            .iter()
            .map(|(slot, buffer)| {
                let back = self.buffer(buffer.size(), Usage::MAP_READ | Usage::COPY_DST);
                encoder.copy_buffer_to_buffer(buffer, 0, &back, 0, buffer.size());
                (*slot, back)
            })
            .collect();
        self.queue.submit([encoder.finish()]);
        for (_, back) in &backs {
            back.map_async(wgpu::MapMode::Read, .., |_| {});
        }
        device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(RunError::from_display)?;
        let words = |back: &wgpu::Buffer| {
            let view = back.get_mapped_range(..).map_err(RunError::from_display)?;
            Ok(bytemuck::pod_collect_to_vec(&view))
        };
        backs
            .iter()
            .map(|(slot, back)| Ok((*slot, words(back)?)))
            .collect()
    }

    fn buffer(&self, size: u64, usage: Usage) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    fn shader(&self, shader: &Shader, entry: &naga::EntryPoint) -> wgpu::ShaderModule {
        let words = match shader {
            Shader::Module(module) => {
                return self
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
        // SAFETY: spirv-val takes what is written, and the cases stay inside of their buffers.
        unsafe { self.device.create_shader_module_passthrough(descriptor) }
    }

    /// One group for each index up to the highest.
    fn groups(
        &self,
        module: &naga::Module,
        buffers: &[(Slot, wgpu::Buffer)],
    ) -> Vec<(wgpu::BindGroupLayout, wgpu::BindGroup)> {
        let bindings = bindings(module);
        let count = buffers
            .iter()
            .map(|(slot, _)| slot.group + 1)
            .max()
            .unwrap_or(0);
        let group = |group: u32| {
            let layouts: Vec<_> = bindings
                .iter()
                .filter(|(slot, _)| slot.group == group)
                .map(|(slot, ty)| wgpu::BindGroupLayoutEntry {
                    binding: slot.binding,
                    visibility: wgpu::ShaderStages::COMPUTE,
                    ty: wgpu::BindingType::Buffer {
                        ty: *ty,
                        has_dynamic_offset: false,
                        min_binding_size: None,
                    },
                    count: None,
                })
                .collect();
            let is_declared = |at: &Slot| bindings.iter().any(|(slot, _)| slot == at);
            let entries: Vec<_> = buffers
                .iter()
                .filter(|(slot, _)| slot.group == group && is_declared(slot))
                .map(|(slot, buffer)| wgpu::BindGroupEntry {
                    binding: slot.binding,
                    resource: buffer.as_entire_binding(),
                })
                .collect();
            let layout = self
                .device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                    label: None,
                    entries: &layouts,
                });
            let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &layout,
                entries: &entries,
            });
            (layout, group)
        };
        (0..count).map(group).collect()
    }
}

/// The buffers that a module declares.
fn bindings(module: &naga::Module) -> Vec<(Slot, wgpu::BufferBindingType)> {
    let binding = |variable: &naga::GlobalVariable| {
        let ty = match variable.space {
            naga::AddressSpace::Uniform => wgpu::BufferBindingType::Uniform,
            naga::AddressSpace::Storage { access } => wgpu::BufferBindingType::Storage {
                read_only: !access.contains(naga::StorageAccess::STORE),
            },
            _ => return None,
        };
        let naga::ResourceBinding { group, binding } = variable.binding?;
        Some((Slot { group, binding }, ty))
    };
    module
        .global_variables
        .iter()
        .filter_map(|(_, variable)| binding(variable))
        .collect()
}
