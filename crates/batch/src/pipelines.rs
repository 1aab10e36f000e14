//! The compute pipelines of the guard and of the staging passes.
//!
//! In: a device, the lock layout, result ranges. Out: bind group layouts, the guard pipeline, and
//! one [`StagingDispatch`] for each dispatch of the staging pass.

use crate::layout::LockLayout;
use crate::shader::{self, COPY_WORKGROUP_SIZE, ReleasePass, WORDS_PER_INVOCATION};
use crate::slots::ResultRange;

/// A range of at most this many bytes is copied by the releasing dispatch instead of a dispatch of
/// its own. Buffers up to this size are mapped in place, where the device can.
pub(crate) const MAX_SMALL_RANGE_BYTES: u64 = 16 << 10;

#[derive(Debug)]
pub(crate) struct Pipelines {
    /// Layout of the guard's group: lock and info.
    pub(crate) guard_layout: wgpu::BindGroupLayout,
    /// Layout of the staging group: lock, info and staging buffer.
    pub(crate) own_layout: wgpu::BindGroupLayout,
    /// Layout of the group with the source of a copy.
    source_layout: wgpu::BindGroupLayout,
    pub(crate) guard: wgpu::ComputePipeline,
    layout: LockLayout,
}

impl Pipelines {
    pub(crate) fn new(device: &wgpu::Device, layout: LockLayout) -> Self {
        let own = [storage(0, false), uniform(1), storage(2, false)];
        let guard = [storage(0, false), storage(1, false)];
        let guard_layout = layout_of(device, "batch guard", &guard);
        let own_layout = layout_of(device, "batch staging", &own);
        let guard = module(device, "batch guard", shader::guard(layout));
        Self {
            guard: pipeline(device, &guard, "guard", &[&guard_layout], &[]),
            source_layout: layout_of(device, "batch results", &[storage(0, true)]),
            layout,
            guard_layout,
            own_layout,
        }
    }

    /// The dispatch that copies a range to an offset, in bytes, of the staging buffer.
    pub(crate) fn copying(
        &self,
        device: &wgpu::Device,
        range: &ResultRange,
        target: u64,
    ) -> StagingDispatch {
        let module = module(device, "batch staging", shader::copy(self.layout));
        let workgroups =
            (range.size / 4).div_ceil(u64::from(COPY_WORKGROUP_SIZE * WORDS_PER_INVOCATION));
        let most = device.limits().max_compute_workgroups_per_dimension;
        StagingDispatch {
            // At most `most`, which has 32 bits.
            workgroups: workgroups.min(u64::from(most)) as u32,
            ..self.ranged(device, &module, "copy_results", range, target)
        }
    }

    /// The dispatch that releases the lock, and copies a small range if there is one.
    pub(crate) fn release(
        &self,
        device: &wgpu::Device,
        small: Option<(&ResultRange, u64)>,
    ) -> StagingDispatch {
        let text = |last| shader::release(self.layout, last);
        let module = |last| module(device, "batch release", text(last));
        match small {
            Some((range, target)) => {
                let words = range.size / 4;
                let module = module(ReleasePass::Copies { words });
                self.ranged(device, &module, "release", range, target)
            }
            None => {
                let module = module(ReleasePass::OnlyReleases);
                StagingDispatch {
                    pipeline: pipeline(device, &module, "release", &[&self.own_layout], &[]),
                    source: None,
                    workgroups: 1,
                }
            }
        }
    }

    /// A dispatch of one workgroup that copies a range.
    fn ranged(
        &self,
        device: &wgpu::Device,
        module: &wgpu::ShaderModule,
        entry_point: &str,
        range: &ResultRange,
        target: u64,
    ) -> StagingDispatch {
        // The binding begins at the last offset that the device's alignment allows; the shader
        // skips the words before the range.
        let alignment = u64::from(device.limits().min_storage_buffer_offset_alignment);
        let begin = range.offset - range.offset % alignment;
        let words = |bytes: u64| (bytes / 4) as f64;
        let constants = [
            ("SOURCE", words(range.offset - begin)),
            ("TARGET", words(target)),
            ("WORDS", words(range.size)),
        ];
        let layouts = [&self.own_layout, &self.source_layout];
        let source = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("batch results"),
            layout: &self.source_layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &range.buffer,
                    offset: begin,
                    size: wgpu::BufferSize::new(range.offset + range.size - begin),
                }),
            }],
        });
        StagingDispatch {
            pipeline: pipeline(device, module, entry_point, &layouts, &constants),
            source: Some(source),
            workgroups: 1,
        }
    }
}

/// One dispatch of the staging pass.
#[derive(Debug)]
pub(crate) struct StagingDispatch {
    pipeline: wgpu::ComputePipeline,
    source: Option<wgpu::BindGroup>,
    workgroups: u32,
}

impl StagingDispatch {
    pub(crate) fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        if let Some(source) = &self.source {
            pass.set_bind_group(1, source, &[]);
        }
        pass.dispatch_workgroups(self.workgroups, 1, 1);
    }
}

pub(crate) fn storage(binding: u32, read_only: bool) -> wgpu::BindGroupLayoutEntry {
    entry(binding, wgpu::BufferBindingType::Storage { read_only })
}

pub(crate) fn uniform(binding: u32) -> wgpu::BindGroupLayoutEntry {
    entry(binding, wgpu::BufferBindingType::Uniform)
}

fn entry(binding: u32, ty: wgpu::BufferBindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

pub(crate) fn layout_of(
    device: &wgpu::Device,
    label: &str,
    entries: &[wgpu::BindGroupLayoutEntry],
) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(label),
        entries,
    })
}

fn module(device: &wgpu::Device, label: &str, text: String) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    })
}

fn pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    entry_point: &str,
    layouts: &[&wgpu::BindGroupLayout],
    constants: &[(&str, f64)],
) -> wgpu::ComputePipeline {
    let layouts: Vec<_> = layouts.iter().map(|layout| Some(*layout)).collect();
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(entry_point),
        bind_group_layouts: &layouts,
        immediate_size: 0,
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry_point),
        layout: Some(&layout),
        module,
        entry_point: Some(entry_point),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants,
            ..Default::default()
        },
        cache: None,
    })
}
