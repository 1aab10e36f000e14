//! Any wgpu adapter as an executor.

mod bound;

use std::time::Duration;

use anywarp_adapter::{AdapterOptions, SubgroupSize};
use anywarp_program::{Program, Source, naga};

use bound::{Bound, Declared, Elements, declared, texture};

pub use bound::wgpu_format;

use crate::executor::{
    Dispatch, Executor, ExecutorName, MAX_ITERATIONS, Memory, RunError, Slot, entry_point,
};
use crate::feature::Feature;

/// No case takes long; a device that does is stuck.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs each program on a device of its own, so that one that is lost harms no other case.
#[derive(Debug)]
pub struct ThroughWgpu {
    name: ExecutorName,
    adapter: wgpu::Adapter,
}

/// Our adapter, found the way a user's program finds it.
pub fn adapter() -> ThroughWgpu {
    ThroughWgpu::new(ExecutorName::Adapter, ours(SubgroupSize::default()))
}

fn ours(subgroup_size: SubgroupSize) -> wgpu::Adapter {
    let instance = anywarp_adapter::instance_with(AdapterOptions {
        loop_iterations: Some(MAX_ITERATIONS),
        subgroup_size,
        ..AdapterOptions::default()
    });
    pollster::block_on(instance.request_adapter(&Default::default()))
        .expect("our instance always has an adapter")
}

/// Mesa's software Vulkan device; `None` where it is not installed.
pub fn lavapipe() -> Option<ThroughWgpu> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN))
        .into_iter()
        .find(|adapter| adapter.get_info().name.contains("llvmpipe"))
        .map(|adapter| ThroughWgpu::new(ExecutorName::Lavapipe, adapter))
}

impl ThroughWgpu {
    /// An executor on an adapter.
    pub fn new(name: ExecutorName, adapter: wgpu::Adapter) -> Self {
        Self { name, adapter }
    }

    /// The adapter.
    pub fn wgpu_adapter(&self) -> &wgpu::Adapter {
        &self.adapter
    }
}

impl Executor for ThroughWgpu {
    fn name(&self) -> ExecutorName {
        self.name
    }

    fn leaves_out(&self, feature: &Feature) -> bool {
        self.name == ExecutorName::Lavapipe && !self.adapter.features().contains(feature.requested)
    }

    fn has_subgroups_of(&self, size: SubgroupSize) -> bool {
        let info = self.adapter.get_info();
        let sizes = (info.subgroup_min_size, info.subgroup_max_size);
        self.name != ExecutorName::Lavapipe || sizes == (size.get(), size.get())
    }

    fn run(&self, dispatch: &Dispatch) -> Result<Memory, RunError> {
        let session = match dispatch.subgroup_size {
            Some(size) if self.name == ExecutorName::Adapter => {
                Session::open(&ours(size), &dispatch.needs)?
            }
            _ => Session::open(&self.adapter, &dispatch.needs)?,
        };
        let (result, misuse) = session.guarded(|| session.run(dispatch));
        // A lost device's own message says more than the call that noticed the loss.
        match anywarp_adapter::lost_message(&session.device)
            .map(RunError)
            .or(misuse)
        {
            Some(error) => Err(error),
            None => result,
        }
    }
}

struct Session {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Session {
    fn open(adapter: &wgpu::Adapter, needs: &[&Feature]) -> Result<Self, RunError> {
        let needed = needs
            .iter()
            .fold(wgpu::Features::empty(), |all, f| all | f.requested);
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: adapter.features() & wgpu::Features::IMMEDIATES | needed,
            required_limits: adapter.limits(),
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).map_err(RunError::from_display)?;
        Ok(Self { device, queue })
    }

    /// Runs something and catches whatever error of wgpu it causes.
    fn guarded<T>(&self, body: impl FnOnce() -> T) -> (T, Option<RunError>) {
        let scopes = [
            wgpu::ErrorFilter::Validation,
            wgpu::ErrorFilter::OutOfMemory,
            wgpu::ErrorFilter::Internal,
        ]
        .map(|filter| self.device.push_error_scope(filter));
        let result = body();
        // Scopes are a stack.
        let errors = scopes.into_iter().rev();
        let caught = errors.filter_map(|scope| pollster::block_on(scope.pop()));
        let first = caught.map(RunError::from_display).reduce(|first, _| first);
        (result, first)
    }

    fn run(&self, dispatch: &Dispatch) -> Result<Memory, RunError> {
        let source = Source::new(dispatch.name.as_str(), dispatch.wgsl.as_str());
        let program = Program::from_source(source).map_err(RunError::from_display)?;
        let format = |slot| {
            let texture = dispatch.bindings.textures.get(&slot)?;
            Some(wgpu_format(texture.format))
        };
        let declared = declared(program.module(), format);
        let bound = self.upload(dispatch, &declared);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        self.encode(&mut encoder, dispatch, program.module(), &declared, &bound)?;
        let staging = self.encode_download(&mut encoder, &bound);
        self.queue.submit([encoder.finish()]);
        self.download(&staging, &bound)
    }

    fn upload(&self, dispatch: &Dispatch, declared: &[Declared]) -> Vec<(Slot, Vec<Bound>)> {
        let bindings = &dispatch.bindings;
        dispatch
            .memory
            .iter()
            .map(|(slot, words)| {
                let elements = bindings.elements(*slot);
                let each = words.len() / elements;
                let ty = declared.iter().find(|it| it.slot == *slot).map(|it| it.ty);
                let bound = (0..elements).map(|element| {
                    let words = &words[element * each..(element + 1) * each];
                    match bindings.textures.get(slot) {
                        Some(spec) => texture(&self.device, &self.queue, spec, words, ty),
                        None => Bound::Buffer(self.buffer(words)),
                    }
                });
                (*slot, bound.collect())
            })
            .collect()
    }

    fn buffer(&self, words: &[u32]) -> wgpu::Buffer {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: words.len() as u64 * 4,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::UNIFORM
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue
            .write_buffer(&buffer, 0, bytemuck::cast_slice(words));
        buffer
    }

    fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        dispatch: &Dispatch,
        module: &naga::Module,
        declared: &[Declared],
        bound: &[(Slot, Vec<Bound>)],
    ) -> Result<(), RunError> {
        let groups = self.bind(declared, bound)?;
        let pipeline = self.pipeline(dispatch, module, &groups)?;
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        for (index, (_, group)) in groups.iter().enumerate() {
            pass.set_bind_group(index as u32, group, &[]);
        }
        if !dispatch.immediates.is_empty() {
            pass.set_immediates(0, bytemuck::cast_slice(&dispatch.immediates));
        }
        let [x, y, z] = dispatch.workgroups;
        pass.dispatch_workgroups(x, y, z);
        Ok(())
    }

    fn pipeline(
        &self,
        dispatch: &Dispatch,
        module: &naga::Module,
        groups: &[(wgpu::BindGroupLayout, wgpu::BindGroup)],
    ) -> Result<wgpu::ComputePipeline, RunError> {
        let device = &self.device;
        let bind_group_layouts: Vec<_> = groups.iter().map(|(layout, _)| Some(layout)).collect();
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &bind_group_layouts,
            immediate_size: dispatch.immediates.len() as u32 * 4,
        });
        let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(&dispatch.name),
            source: wgpu::ShaderSource::Wgsl(dispatch.wgsl.as_str().into()),
        });
        let constants: Vec<(&str, f64)> = dispatch
            .constants
            .iter()
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        let entry = entry_point(module, dispatch.entry.as_deref())?;
        Ok(
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&dispatch.name),
                layout: Some(&layout),
                module: &shader,
                entry_point: Some(&entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &constants,
                    ..Default::default()
                },
                cache: None,
            }),
        )
    }

    /// One group for each index up to the highest; a group that the program skips stays empty.
    fn bind(
        &self,
        declared: &[Declared],
        bound: &[(Slot, Vec<Bound>)],
    ) -> Result<Vec<(wgpu::BindGroupLayout, wgpu::BindGroup)>, RunError> {
        let slots: Vec<Slot> = declared.iter().map(|it| it.slot).collect();
        let given: Vec<Slot> = bound.iter().map(|(slot, _)| *slot).collect();
        if slots != given {
            return Err(RunError(format!(
                "bindings {slots:?}, but memory for {given:?}"
            )));
        }
        let count = slots.iter().map(|slot| slot.group + 1).max().unwrap_or(0);
        let groups = (0..count).map(|group| self.bind_group(group, declared, bound));
        Ok(groups.collect())
    }

    fn bind_group(
        &self,
        group: u32,
        declared: &[Declared],
        bound: &[(Slot, Vec<Bound>)],
    ) -> (wgpu::BindGroupLayout, wgpu::BindGroup) {
        let of_group = || {
            let both = declared.iter().zip(bound);
            both.filter(|(declared, _)| declared.slot.group == group)
        };
        let layout_entries: Vec<_> = of_group()
            .map(|(declared, (_, elements))| declared.layout_entry(elements.len()))
            .collect();
        let elements: Vec<Elements<'_>> = of_group()
            .map(|(_, (_, elements))| Elements::of(elements))
            .collect();
        let entries: Vec<_> = of_group()
            .zip(&elements)
            .map(|((declared, _), elements)| wgpu::BindGroupEntry {
                binding: declared.slot.binding,
                resource: elements.resource(declared.is_array),
            })
            .collect();
        let layout = self
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: None,
                entries: &layout_entries,
            });
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &entries,
        });
        (layout, group)
    }

    /// Everything one behind the other.
    fn encode_download(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        bound: &[(Slot, Vec<Bound>)],
    ) -> wgpu::Buffer {
        let all = || bound.iter().flat_map(|(_, elements)| elements);
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: all().map(Bound::download_size).sum(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut offset = 0;
        for element in all() {
            element.encode_download(encoder, &staging, offset);
            offset += element.download_size();
        }
        staging
    }

    fn download(
        &self,
        staging: &wgpu::Buffer,
        bound: &[(Slot, Vec<Bound>)],
    ) -> Result<Memory, RunError> {
        staging.map_async(wgpu::MapMode::Read, .., |_| {});
        self.device
            .poll(wgpu::PollType::Wait {
                submission_index: None,
                timeout: Some(PATIENCE),
            })
            .map_err(RunError::from_display)?;
        let bytes = staging
            .get_mapped_range(..)
            .map_err(RunError::from_display)?;
        let mut rest = &bytes[..];
        let mut memory = Memory::new();
        for (slot, elements) in bound {
            let words = memory.entry(*slot).or_default();
            for element in elements {
                let (own, behind) = rest.split_at(element.download_size() as usize);
                words.extend(element.words(own));
                rest = behind;
            }
        }
        Ok(memory)
    }
}
