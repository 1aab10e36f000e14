//! A compiled kernel as a compute pipeline.
//!
//! In: the bytes of a module, an export and a workgroup size. Out: the pipeline, with explicit
//! layouts of its bind groups.

use std::borrow::Cow;

use naga::{AddressSpace, ResourceBinding, StorageAccess};

use crate::compile::{CompileOptions, CompiledKernel, KernelBinding, compile};
use crate::runtime::Gpu;

use super::NotCompiled;

/// A kernel's pipeline.
#[derive(Debug)]
pub(crate) struct KernelPipeline {
    /// The kernel.
    pub(crate) kernel: CompiledKernel,
    pub(super) pipeline: wgpu::ComputePipeline,
    /// The layout of each bind group; `None` for a group without bindings.
    pub(super) layouts: Vec<Option<wgpu::BindGroupLayout>>,
}

impl KernelPipeline {
    pub(super) async fn new(
        gpu: &Gpu,
        bytes: &[u8],
        (name, workgroup_size): &(String, [u32; 3]),
        options: &CompileOptions,
    ) -> Result<Self, NotCompiled> {
        check_workgroup(gpu, *workgroup_size)?;
        let kernel = compile(bytes, name, *workgroup_size, options)?;
        check_features(gpu, &kernel.module)?;
        let device = &gpu.device;
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(name),
            source: wgpu::ShaderSource::Naga(Cow::Owned(kernel.module.clone())),
        });
        let layouts = layouts(gpu, &kernel);
        let groups: Vec<_> = layouts.iter().map(Option::as_ref).collect();
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(name),
            bind_group_layouts: &groups,
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: Some(&layout),
            module: &shader,
            entry_point: Some(&kernel.entry_point),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        match scope.pop().await {
            Some(error) => Err(NotCompiled::Pipeline {
                what: error.to_string(),
            }),
            None => Ok(Self {
                kernel,
                pipeline,
                layouts,
            }),
        }
    }
}

fn check_workgroup(gpu: &Gpu, size: [u32; 3]) -> Result<(), NotCompiled> {
    let limits = gpu.device.limits();
    let threads: u64 = size.iter().map(|&part| u64::from(part)).product();
    let limit = u64::from(limits.max_compute_invocations_per_workgroup);
    if threads > limit {
        let what = format!("a workgroup of {threads} threads");
        return Err(NotCompiled::Limit { what, limit });
    }
    let max = [
        limits.max_compute_workgroup_size_x,
        limits.max_compute_workgroup_size_y,
        limits.max_compute_workgroup_size_z,
    ];
    match size.iter().zip(max).find(|(part, max)| *part > max) {
        Some((part, max)) => Err(NotCompiled::Limit {
            what: format!("a workgroup of {part} threads in one dimension"),
            limit: u64::from(max),
        }),
        None => Ok(()),
    }
}

/// The module's 64-bit numbers need features of the device.
fn check_features(gpu: &Gpu, module: &naga::Module) -> Result<(), NotCompiled> {
    let features = gpu.device.features();
    for (_, ty) in module.types.iter() {
        let scalar = match ty.inner {
            naga::TypeInner::Scalar(scalar) | naga::TypeInner::Vector { scalar, .. } => scalar,
            _ => continue,
        };
        let (flag, feature) = match scalar {
            naga::Scalar::F64 => (wgpu::Features::SHADER_F64, "64-bit floats"),
            naga::Scalar::I64 | naga::Scalar::U64 => {
                (wgpu::Features::SHADER_INT64, "64-bit integers")
            }
            _ => continue,
        };
        if !features.contains(flag) {
            return Err(NotCompiled::Feature { feature });
        }
    }
    Ok(())
}

/// How a binding is declared in the module.
fn binding_type(kernel: &CompiledKernel, binding: &KernelBinding) -> wgpu::BindingType {
    let place = ResourceBinding {
        group: binding.group,
        binding: binding.binding,
    };
    let declared = kernel.module.global_variables.iter();
    let space = declared
        .map(|(_, global)| global)
        .find(|global| global.binding == Some(place))
        .map(|global| global.space);
    let ty = match space {
        Some(AddressSpace::Uniform) => wgpu::BufferBindingType::Uniform,
        Some(AddressSpace::Storage { access }) => wgpu::BufferBindingType::Storage {
            read_only: !access.contains(StorageAccess::STORE),
        },
        _ => wgpu::BufferBindingType::Storage {
            read_only: !binding.written,
        },
    };
    wgpu::BindingType::Buffer {
        ty,
        has_dynamic_offset: false,
        min_binding_size: None,
    }
}

fn layouts(gpu: &Gpu, kernel: &CompiledKernel) -> Vec<Option<wgpu::BindGroupLayout>> {
    let groups = kernel
        .bindings
        .iter()
        .map(|binding| binding.group + 1)
        .max();
    let layout = |group: u32| {
        let bindings = kernel
            .bindings
            .iter()
            .filter(|binding| binding.group == group);
        let entries: Vec<_> = bindings
            .map(|binding| wgpu::BindGroupLayoutEntry {
                binding: binding.binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: binding_type(kernel, binding),
                count: None,
            })
            .collect();
        (!entries.is_empty()).then(|| {
            gpu.device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                    label: Some("wasm kernel"),
                    entries: &entries,
                })
        })
    };
    (0..groups.unwrap_or(0)).map(layout).collect()
}
