//! Creates the GPU objects of a plan: shader module, layouts, pipeline, buffers, textures, samplers and bind groups.

use std::borrow::Cow;
use std::num::NonZeroU64;

use anywarp_program::{Constants, Program};

use super::plan::{Plan, Planned, PlannedBuffer};
use super::samplers;
use super::sizes::rounded_up;
use super::transfer::create_texture;
use crate::device::Session;
use crate::error::Error;
use crate::interface::{Binding, BindingKind};
use crate::panics::catch_panic;
use crate::texture::TextureClass;

/// The objects that a dispatch needs.
pub(super) struct GpuObjects {
    pub(super) pipeline: wgpu::ComputePipeline,
    /// One for each binding of the plan, in the same order.
    pub(super) resources: Vec<Resource>,
    /// The bindings of the first run, the second and so on, repeated cyclically.
    pub(super) phases: Vec<Phase>,
}

/// A resource on the device.
pub(super) enum Resource {
    Buffer(wgpu::Buffer),
    Texture(wgpu::Texture),
    Sampler(wgpu::Sampler),
}

/// The assignment of resources to bindings between two swaps.
pub(super) struct Phase {
    /// Index into the resources, for each binding.
    pub(super) resource_of: Vec<usize>,
    /// Bind groups with their indices.
    pub(super) groups: Vec<(u32, wgpu::BindGroup)>,
}

impl GpuObjects {
    /// The assignment for a run, counted from 0.
    pub(super) fn phase(&self, run: u64) -> &Phase {
        let index = run % self.phases.len() as u64;
        &self.phases[index as usize]
    }
}

/// Creates all objects; the first error of the device is returned.
pub(super) fn create(
    session: &Session,
    program: &Program,
    constants: &Constants,
    plan: &Plan,
) -> Result<GpuObjects, Error> {
    // naga's back ends run here, and they panic on input that they do not support.
    let built = catch_panic(|| compile(session, program, constants, plan));
    session.check()?;
    let (pipeline, layouts) = built.map_err(|panic| session.refused(panic))??;

    let mut resources = Vec::new();
    for (index, planned) in plan.resources.iter().enumerate() {
        resources.push(create_resource(session, plan, index, planned)?);
    }
    let phases = cycle(plan)
        .into_iter()
        .map(|resource_of| Phase {
            groups: bind_groups(session, &layouts, plan, &resources, &resource_of),
            resource_of,
        })
        .collect();
    session.check()?;
    Ok(GpuObjects {
        pipeline,
        resources,
        phases,
    })
}

type GroupLayouts = Vec<(u32, wgpu::BindGroupLayout)>;

fn compile(
    session: &Session,
    program: &Program,
    constants: &Constants,
    plan: &Plan,
) -> Result<(wgpu::ComputePipeline, GroupLayouts), Error> {
    let device = &session.device;
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: program.source().map(|source| source.name()),
        source: shader_source(program),
    });
    session.check()?;
    let layouts = group_layouts(device, plan);
    let mut slots: Vec<Option<&wgpu::BindGroupLayout>> = Vec::new();
    for (group, layout) in &layouts {
        slots.resize(*group as usize, None);
        slots.push(Some(layout));
    }
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &slots,
        immediate_size: plan.immediate.len() as u32,
    });
    let values: Vec<(&str, f64)> = constants.iter().map(|(k, v)| (k.as_str(), *v)).collect();
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(&plan.interface.entry),
        layout: Some(&layout),
        module: &module,
        entry_point: Some(&plan.interface.entry),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &values,
            ..Default::default()
        },
        cache: None,
    });
    Ok((pipeline, layouts))
}

/// The source text if there is one, so that the device's messages have line numbers; otherwise the validated module.
fn shader_source(program: &Program) -> wgpu::ShaderSource<'_> {
    match program.naga_wgsl() {
        Some(text) => wgpu::ShaderSource::Wgsl(text.into()),
        None => wgpu::ShaderSource::Naga(Cow::Owned(program.module().clone())),
    }
}

/// In ascending order of groups, because bindings are ordered.
fn group_layouts(device: &wgpu::Device, plan: &Plan) -> GroupLayouts {
    let same_group = |a: &Binding, b: &Binding| a.slot.group == b.slot.group;
    plan.interface
        .bindings
        .chunk_by(same_group)
        .map(|bindings| {
            let entries: Vec<_> = bindings
                .iter()
                .map(|binding| layout_entry(plan, binding))
                .collect();
            let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: None,
                entries: &entries,
            });
            (bindings[0].slot.group, layout)
        })
        .collect()
}

fn layout_entry(plan: &Plan, binding: &Binding) -> wgpu::BindGroupLayoutEntry {
    let buffer = |ty| wgpu::BindingType::Buffer {
        ty,
        has_dynamic_offset: false,
        min_binding_size: binding
            .buffer_size()
            .and_then(|size| NonZeroU64::new(size.minimum())),
    };
    wgpu::BindGroupLayoutEntry {
        binding: binding.slot.binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: match binding.kind {
            BindingKind::Storage { writable, .. } => buffer(wgpu::BufferBindingType::Storage {
                read_only: !writable,
            }),
            BindingKind::Texture(ty) => ty.layout(plan.filtered.contains(&binding.slot)),
            BindingKind::Sampler { .. } => {
                let index = plan.index(binding.slot);
                let spec = match index.map(|index| &plan.resources[index]) {
                    Some(Planned::Sampler(spec)) => *spec,
                    _ => Default::default(),
                };
                wgpu::BindingType::Sampler(samplers::binding_type(&spec))
            }
            BindingKind::Uniform(_) | BindingKind::Array | BindingKind::Opaque => {
                buffer(wgpu::BufferBindingType::Uniform)
            }
        },
        count: None,
    }
}

fn create_resource(
    session: &Session,
    plan: &Plan,
    index: usize,
    planned: &Planned,
) -> Result<Resource, Error> {
    let binding = &plan.interface.bindings[index];
    match planned {
        Planned::Buffer(buffer) => create_buffer(session, buffer, binding).map(Resource::Buffer),
        Planned::Sampler(spec) => {
            let sampler = samplers::create(&session.device, spec, &label(binding));
            session.check_about(&format!("binding {}, {spec}", label(binding)))?;
            Ok(Resource::Sampler(sampler))
        }
        Planned::Texture(texture) => {
            // With swaps it is also bound to other bindings, which take textures of the same type.
            let is_like = |other: &&Planned| matches!(other, Planned::Texture(other) if other.is_like(texture));
            let is_swapped = plan.swaps.iter().any(|&(a, b)| a == index || b == index);
            let bindings = plan.resources.iter().zip(&plan.interface.bindings);
            let usage = bindings
                .filter(|(other, _)| is_swapped && is_like(other))
                .map(|(_, binding)| binding)
                .chain([binding])
                .filter_map(|binding| binding.texture())
                .fold(wgpu::TextureUsages::empty(), |all, ty| all | ty.usage());
            create_texture(session, texture, usage, &label(binding)).map(Resource::Texture)
        }
    }
}

fn label(binding: &Binding) -> String {
    format!("{} `{}`", binding.slot, binding.name)
}

fn create_buffer(
    session: &Session,
    planned: &PlannedBuffer,
    binding: &Binding,
) -> Result<wgpu::Buffer, Error> {
    // Large data is written in pieces, so that wgpu's staging copy stays small.
    const PIECE: usize = 64 << 20;
    let label = label(binding);
    let buffer = session.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(&label),
        size: rounded_up(planned.bytes),
        usage: wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::UNIFORM
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    session.check_about(&format!("binding {label}, {} bytes", planned.bytes))?;
    planned
        .initial
        .for_each_piece(planned.bytes, PIECE, |offset, piece| {
            // The last piece may end within a word if the size of the type is not a multiple of 4.
            let (whole, rest) = piece.split_at(piece.len() & !3);
            session.queue.write_buffer(&buffer, offset, whole);
            if !rest.is_empty() {
                let mut word = [0; 4];
                word[..rest.len()].copy_from_slice(rest);
                let offset = offset + whole.len() as u64;
                session.queue.write_buffer(&buffer, offset, &word);
            }
            if planned.bytes > PIECE as u64 {
                session.queue.submit([]);
            }
        });
    session.check()?;
    Ok(buffer)
}

/// The resource of each binding in each run, until the swaps restore the first assignment.
fn cycle(plan: &Plan) -> Vec<Vec<usize>> {
    let start: Vec<usize> = (0..plan.resources.len()).collect();
    let mut cycle = vec![start.clone()];
    let mut now = start.clone();
    while (cycle.len() as u64) < plan.repeat {
        for &(a, b) in &plan.swaps {
            now.swap(a, b);
        }
        if now == start {
            break;
        }
        cycle.push(now.clone());
    }
    cycle
}

fn bind_groups(
    session: &Session,
    layouts: &GroupLayouts,
    plan: &Plan,
    resources: &[Resource],
    resource_of: &[usize],
) -> Vec<(u32, wgpu::BindGroup)> {
    let bindings = &plan.interface.bindings;
    let bound = bindings
        .iter()
        .zip(resource_of)
        .map(|(binding, index)| match &resources[*index] {
            Resource::Buffer(buffer) => Bound::Buffer(buffer),
            Resource::Texture(texture) => Bound::View(view(plan, *index, texture, binding)),
            Resource::Sampler(sampler) => Bound::Sampler(sampler),
        });
    let bound: Vec<Bound<'_>> = bound.collect();
    let bind_group = |(group, layout): &(u32, wgpu::BindGroupLayout)| {
        let entries: Vec<_> = bindings
            .iter()
            .zip(&bound)
            .filter(|(binding, _)| binding.slot.group == *group)
            .map(|(binding, bound)| wgpu::BindGroupEntry {
                binding: binding.slot.binding,
                resource: match bound {
                    Bound::Buffer(buffer) => buffer.as_entire_binding(),
                    Bound::View(view) => wgpu::BindingResource::TextureView(view),
                    Bound::Sampler(sampler) => wgpu::BindingResource::Sampler(sampler),
                },
            })
            .collect();
        let descriptor = wgpu::BindGroupDescriptor {
            label: None,
            layout,
            entries: &entries,
        };
        (*group, session.device.create_bind_group(&descriptor))
    };
    layouts.iter().map(bind_group).collect()
}

enum Bound<'a> {
    Buffer(&'a wgpu::Buffer),
    View(wgpu::TextureView),
    Sampler(&'a wgpu::Sampler),
}

/// The view of a texture for a binding: a storage texture has one level.
fn view(
    plan: &Plan,
    index: usize,
    texture: &wgpu::Texture,
    binding: &Binding,
) -> wgpu::TextureView {
    let ty = binding.texture();
    let is_storage = ty.is_some_and(|ty| matches!(ty.class, TextureClass::Storage { .. }));
    let aspect = match (&plan.resources[index], ty) {
        (Planned::Texture(planned), Some(ty)) => ty.aspect(planned.format),
        _ => wgpu::TextureAspect::All,
    };
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: ty.map(|ty| ty.view_dimension()),
        mip_level_count: is_storage.then_some(1),
        aspect,
        ..Default::default()
    })
}
