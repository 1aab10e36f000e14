//! A device and the objects of a run: all are created for each run, and the results are read back.

use std::time::Duration;

use anywarp_program::{Program, Source, naga};

use super::bound::{Bound, Declared, Elements, declared, texture, wgpu_format};
use crate::executor::{Dispatch, Memory, RunError, Slot, entry_point};
use crate::feature::Feature;

/// The time after which a device counts as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// A device that runs dispatches.
#[derive(Debug)]
pub struct Session {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
}

/// A shader module of the device, in any language.
#[derive(Clone, Copy, Debug)]
pub struct Compiled<'a> {
    /// Declares the bindings. Bindings of a dispatch that it does not declare stay unchanged.
    pub module: &'a naga::Module,
    /// The shader.
    pub shader: &'a wgpu::ShaderModule,
    /// Its entry point.
    pub entry: &'a str,
    /// Values for its overrides.
    pub constants: &'a [(String, f64)],
}

/// The bindings that a module declares, with the texture formats that a dispatch gives.
fn bindings(module: &naga::Module, dispatch: &Dispatch) -> Vec<Declared> {
    declared(module, |slot| {
        let texture = dispatch.bindings.textures.get(&slot)?;
        Some(wgpu_format(texture.format))
    })
}

impl Session {
    pub(super) fn open(adapter: &wgpu::Adapter, needs: &[&Feature]) -> Result<Self, RunError> {
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

    /// Runs a closure and catches any wgpu error that it causes.
    pub fn guarded<T>(&self, body: impl FnOnce() -> T) -> (T, Option<RunError>) {
        let scopes = [
            wgpu::ErrorFilter::Validation,
            wgpu::ErrorFilter::OutOfMemory,
            wgpu::ErrorFilter::Internal,
        ]
        .map(|filter| self.device.push_error_scope(filter));
        let result = body();
        // Error scopes form a stack.
        let errors = scopes.into_iter().rev();
        let caught = errors.filter_map(|scope| pollster::block_on(scope.pop()));
        let first = caught.map(RunError::from_display).reduce(|first, _| first);
        (result, first)
    }

    pub(super) fn run(&self, dispatch: &Dispatch) -> Result<Memory, RunError> {
        let source = Source::new(dispatch.name.as_str(), dispatch.wgsl.as_str());
        let program = Program::from_source(source).map_err(RunError::from_display)?;
        let module = program.module();
        let slots: Vec<Slot> = bindings(module, dispatch)
            .iter()
            .map(|declared| declared.slot)
            .collect();
        let given: Vec<Slot> = dispatch.memory.keys().copied().collect();
        if slots != given {
            return Err(RunError(format!(
                "bindings {slots:?}, but memory for {given:?}"
            )));
        }
        let shader = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(&dispatch.name),
                source: wgpu::ShaderSource::Wgsl(dispatch.wgsl.as_str().into()),
            });
        let entry = entry_point(module, dispatch.entry.as_deref())?;
        let compiled = Compiled {
            module,
            shader: &shader,
            entry: &entry,
            constants: &dispatch.constants,
        };
        self.run_compiled(dispatch, &compiled)
    }

    /// Runs a dispatch with a shader that was created elsewhere.
    pub fn run_compiled(
        &self,
        dispatch: &Dispatch,
        compiled: &Compiled<'_>,
    ) -> Result<Memory, RunError> {
        let declared = bindings(compiled.module, dispatch);
        let bound = self.upload(dispatch, &declared);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        self.encode(&mut encoder, dispatch, compiled, &declared, &bound);
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
                let ty = declared
                    .iter()
                    .find(|binding| binding.slot == *slot)
                    .map(|binding| binding.ty);
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
        compiled: &Compiled<'_>,
        declared: &[Declared],
        bound: &[(Slot, Vec<Bound>)],
    ) {
        let groups = self.bind(declared, bound);
        let pipeline = self.pipeline(dispatch, compiled, &groups);
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
    }

    fn pipeline(
        &self,
        dispatch: &Dispatch,
        compiled: &Compiled<'_>,
        groups: &[(wgpu::BindGroupLayout, wgpu::BindGroup)],
    ) -> wgpu::ComputePipeline {
        let device = &self.device;
        let bind_group_layouts: Vec<_> = groups.iter().map(|(layout, _)| Some(layout)).collect();
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &bind_group_layouts,
            immediate_size: dispatch.immediates.len() as u32 * 4,
        });
        let constants = compiled.constants.iter();
        let constants: Vec<(&str, f64)> = constants
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&dispatch.name),
            layout: Some(&layout),
            module: compiled.shader,
            entry_point: Some(compiled.entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                ..Default::default()
            },
            cache: None,
        })
    }

    /// One bind group for each index up to the highest; groups that the program skips are empty.
    fn bind(
        &self,
        declared: &[Declared],
        bound: &[(Slot, Vec<Bound>)],
    ) -> Vec<(wgpu::BindGroupLayout, wgpu::BindGroup)> {
        let count = declared.iter().map(|binding| binding.slot.group + 1).max();
        let groups = 0..count.unwrap_or(0);
        groups
            .map(|group| self.bind_group(group, declared, bound))
            .collect()
    }

    fn bind_group(
        &self,
        group: u32,
        declared: &[Declared],
        bound: &[(Slot, Vec<Bound>)],
    ) -> (wgpu::BindGroupLayout, wgpu::BindGroup) {
        let of_group = || {
            let declared = declared
                .iter()
                .filter(|binding| binding.slot.group == group);
            declared.filter_map(|declared| {
                Some((
                    declared,
                    bound.iter().find(|(slot, _)| *slot == declared.slot)?,
                ))
            })
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

    /// Copies everything to one staging buffer.
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
