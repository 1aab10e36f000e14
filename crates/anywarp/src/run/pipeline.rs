//! The plan on a device: shader module, layouts, pipeline, buffers and bind groups.

use std::borrow::Cow;
use std::num::NonZeroU64;

use anywarp_program::{Constants, Program};

use super::plan::{Plan, PlannedBuffer};
use crate::contain::contain;
use crate::device::Session;
use crate::error::Error;
use crate::interface::{Binding, BindingKind};

/// Everything a dispatch needs.
pub(super) struct Machine {
    pub(super) pipeline: wgpu::ComputePipeline,
    /// One for each binding of the plan, in the same order.
    pub(super) buffers: Vec<wgpu::Buffer>,
    /// What is bound in the first run, the second and so on, round and round.
    pub(super) phases: Vec<Phase>,
}

/// Which buffer each binding has between two swaps.
pub(super) struct Phase {
    /// Index into the buffers, for each binding.
    pub(super) buffer_of: Vec<usize>,
    /// Bind groups with their indices.
    pub(super) groups: Vec<(u32, wgpu::BindGroup)>,
}

impl Machine {
    /// What is bound in a run, counted from 0.
    pub(super) fn phase(&self, run: u64) -> &Phase {
        let index = run % self.phases.len() as u64;
        &self.phases[index as usize]
    }
}

/// Builds it all; the first complaint of the device is the error.
pub(super) fn build(
    session: &Session,
    program: &Program,
    constants: &Constants,
    plan: &Plan,
) -> Result<Machine, Error> {
    // Back ends of naga compile here, and they panic on what they do not handle.
    let built = contain(|| compile(session, program, constants, plan));
    session.check()?;
    let (pipeline, layouts) = built.map_err(|panic| session.refused(panic))??;

    let buffers = plan
        .buffers
        .iter()
        .zip(&plan.interface.bindings)
        .map(|(buffer, binding)| create_buffer(session, buffer, binding))
        .collect::<Result<Vec<_>, _>>()?;
    let phases = buffer_cycle(plan)
        .into_iter()
        .map(|buffer_of| Phase {
            groups: bind_groups(session, &layouts, plan, &buffers, &buffer_of),
            buffer_of,
        })
        .collect();
    session.check()?;
    Ok(Machine {
        pipeline,
        buffers,
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

/// The text where there is one, so that a device's messages have lines; else the checked module.
fn shader_source(program: &Program) -> wgpu::ShaderSource<'_> {
    match program.naga_wgsl() {
        Some(text) => wgpu::ShaderSource::Wgsl(text),
        None => wgpu::ShaderSource::Naga(Cow::Owned(program.module().clone())),
    }
}

/// Ascending by group, because bindings are.
fn group_layouts(device: &wgpu::Device, plan: &Plan) -> GroupLayouts {
    let same_group = |a: &Binding, b: &Binding| a.slot.group == b.slot.group;
    plan.interface
        .bindings
        .chunk_by(same_group)
        .map(|bindings| {
            let entries: Vec<_> = bindings.iter().map(layout_entry).collect();
            let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: None,
                entries: &entries,
            });
            (bindings[0].slot.group, layout)
        })
        .collect()
}

fn layout_entry(binding: &Binding) -> wgpu::BindGroupLayoutEntry {
    let ty = match binding.kind {
        BindingKind::Storage { writable, .. } => wgpu::BufferBindingType::Storage {
            read_only: !writable,
        },
        BindingKind::Uniform(_) | BindingKind::Opaque => wgpu::BufferBindingType::Uniform,
    };
    wgpu::BindGroupLayoutEntry {
        binding: binding.slot.binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: binding
                .buffer_size()
                .and_then(|size| NonZeroU64::new(size.minimum())),
        },
        count: None,
    }
}

fn create_buffer(
    session: &Session,
    planned: &PlannedBuffer,
    binding: &Binding,
) -> Result<wgpu::Buffer, Error> {
    // Large data goes in pieces, so that the copy wgpu makes of it stays small.
    const PIECE: usize = 64 << 20;
    let buffer = session.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(&format!("{} {}", binding.slot, binding.name)),
        size: planned.bytes,
        usage: wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::UNIFORM
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    session.check()?;
    planned.initial.for_each_piece(PIECE, |offset, piece| {
        session.queue.write_buffer(&buffer, offset, piece);
        if planned.bytes > PIECE as u64 {
            session.queue.submit([]);
        }
    });
    session.check()?;
    Ok(buffer)
}

/// Which buffer each binding has in each run, until the swaps have gone round.
fn buffer_cycle(plan: &Plan) -> Vec<Vec<usize>> {
    let start: Vec<usize> = (0..plan.buffers.len()).collect();
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
    buffers: &[wgpu::Buffer],
    buffer_of: &[usize],
) -> Vec<(u32, wgpu::BindGroup)> {
    let bind_group = |(group, layout): &(u32, wgpu::BindGroupLayout)| {
        let entries: Vec<_> = plan
            .interface
            .bindings
            .iter()
            .zip(buffer_of)
            .filter(|(binding, _)| binding.slot.group == *group)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding: binding.slot.binding,
                resource: buffers[*buffer].as_entire_binding(),
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
