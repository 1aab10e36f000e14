//! Compiles an entry point for a device: shader module, bind group layouts, pipeline layout, pipeline.

use std::borrow::Cow;
use std::num::NonZeroU64;

use anywarp_program::{Constants, Program};

use super::check::filtering_sampler;
use super::resource::{ResourceDescriptor, is_filtering};
use crate::reflection::{Binding, BindingKind, Interface, Slot};
use crate::{Device, DeviceError};

/// Layouts of bind groups with their indices, in ascending order.
pub(super) type GroupLayouts = Vec<(u32, wgpu::BindGroupLayout)>;

/// A compiled entry point.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) layouts: GroupLayouts,
}

/// Compiles an entry point for resources in the order of its bindings.
pub(super) fn compile(
    device: &Device,
    program: &Program,
    constants: &Constants,
    interface: &Interface,
    resources: &[ResourceDescriptor],
) -> Result<Pipeline, DeviceError> {
    // naga's back ends run here, and they panic on input that they do not support.
    let module = device.capture("", || {
        device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: program.source().map(|source| source.name()),
            source: shader_source(program),
        })
    })?;
    let layouts = device.capture("", || group_layouts(device, interface, resources))?;
    let pipeline = device.capture("", || {
        pipeline(device, &module, &layouts, constants, interface)
    })?;
    Ok(Pipeline { pipeline, layouts })
}

fn pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    layouts: &GroupLayouts,
    constants: &Constants,
    interface: &Interface,
) -> wgpu::ComputePipeline {
    let mut groups: Vec<Option<&wgpu::BindGroupLayout>> = Vec::new();
    for (group, layout) in layouts {
        groups.resize(*group as usize, None);
        groups.push(Some(layout));
    }
    let immediate = interface.immediate.as_ref();
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &groups,
        immediate_size: immediate.map_or(0, |immediate| immediate.bytes),
    });
    let values: Vec<(&str, f64)> = constants.iter().map(|(k, v)| (k.as_str(), *v)).collect();
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(&interface.entry),
        layout: Some(&layout),
        module,
        entry_point: Some(&interface.entry),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &values,
            ..Default::default()
        },
        cache: None,
    })
}

/// The source text if there is one, so that the device's messages have line numbers; otherwise the validated module.
fn shader_source(program: &Program) -> wgpu::ShaderSource<'_> {
    match program.naga_wgsl() {
        Some(text) => wgpu::ShaderSource::Wgsl(text.into()),
        None => wgpu::ShaderSource::Naga(Cow::Owned(program.module().clone())),
    }
}

fn group_layouts(
    device: &wgpu::Device,
    interface: &Interface,
    resources: &[ResourceDescriptor],
) -> GroupLayouts {
    let same_group = |a: &Binding, b: &Binding| a.slot.group == b.slot.group;
    interface
        .bindings
        .chunk_by(same_group)
        .map(|bindings| {
            let entries: Vec<_> = bindings
                .iter()
                .map(|binding| layout_entry(interface, resources, binding))
                .collect();
            let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: None,
                entries: &entries,
            });
            (bindings[0].slot.group, layout)
        })
        .collect()
}

fn layout_entry(
    interface: &Interface,
    resources: &[ResourceDescriptor],
    binding: &Binding,
) -> wgpu::BindGroupLayoutEntry {
    let buffer = |ty| wgpu::BindingType::Buffer {
        ty,
        has_dynamic_offset: false,
        min_binding_size: binding
            .buffer_size()
            .and_then(|size| NonZeroU64::new(size.minimum())),
    };
    let sampler = |slot: Slot| {
        let position = interface.bindings.iter().position(|b| b.slot == slot)?;
        match &resources[position] {
            ResourceDescriptor::Sampler(sampler) => Some(sampler),
            _ => None,
        }
    };
    wgpu::BindGroupLayoutEntry {
        binding: binding.slot.binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: match binding.kind {
            BindingKind::Storage { writable, .. } => buffer(wgpu::BufferBindingType::Storage {
                read_only: !writable,
            }),
            BindingKind::Texture(ty) => {
                let filters =
                    |slot: &Slot| sampler(*slot).is_some_and(|sampler| is_filtering(sampler));
                ty.layout(filtering_sampler(interface, binding.slot, filters).is_some())
            }
            BindingKind::Sampler { .. } => {
                wgpu::BindingType::Sampler(match sampler(binding.slot) {
                    Some(sampler) if sampler.compare.is_some() => {
                        wgpu::SamplerBindingType::Comparison
                    }
                    Some(sampler) if is_filtering(sampler) => wgpu::SamplerBindingType::Filtering,
                    _ => wgpu::SamplerBindingType::NonFiltering,
                })
            }
            BindingKind::Uniform(_) | BindingKind::Array | BindingKind::Opaque => {
                buffer(wgpu::BufferBindingType::Uniform)
            }
        },
        count: None,
    }
}
