//! The compute pipelines for one kind of memory: compiled once, used by every program.

use super::shader::{MemoryKind, kernel_wgsl};

/// Invocations of a workgroup of the shader.
pub(super) const LANES: u32 = 64;
/// Workgroups in a dimension that every device supports.
const MAX_GROUPS: u32 = 65_535;

/// A pipeline for each entry point of the shader.
#[derive(Debug)]
pub(super) struct Pipelines {
    pub(super) layout: wgpu::BindGroupLayout,
    pub(super) begin: wgpu::ComputePipeline,
    pub(super) run: wgpu::ComputePipeline,
    pub(super) schedule: wgpu::ComputePipeline,
    pub(super) gather: wgpu::ComputePipeline,
    pub(super) scatter: wgpu::ComputePipeline,
    pub(super) resume: wgpu::ComputePipeline,
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device, memory: MemoryKind) -> Self {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("wasm interpreter"),
            source: wgpu::ShaderSource::Wgsl(kernel_wgsl(memory).into()),
        });
        let entry = |binding: u32| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: match binding {
                    0 => wgpu::BufferBindingType::Uniform,
                    _ => wgpu::BufferBindingType::Storage {
                        read_only: binding == 1,
                    },
                },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let entries: Vec<_> = (0..7).map(entry).collect();
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("wasm interpreter"),
            entries: &entries,
        });
        let whole = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("wasm interpreter"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = |entry_point| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: Some(&whole),
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            })
        };
        Self {
            begin: pipeline("begin"),
            run: pipeline("run"),
            schedule: pipeline("schedule"),
            gather: pipeline("gather"),
            scatter: pipeline("scatter"),
            resume: pipeline("resume"),
            layout,
        }
    }
}

/// The size of a dispatch with at least that many invocations.
pub(super) fn groups(invocations: u32) -> [u32; 2] {
    let groups = invocations.div_ceil(LANES).max(1);
    let width = groups.min(MAX_GROUPS);
    [width, groups.div_ceil(width)]
}
