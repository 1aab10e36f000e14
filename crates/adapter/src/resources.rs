//! HAL resources: buffers, layouts, bind groups, shaders, pipelines, query sets.
//!
//! All are reference-counted and cheap to clone, because recorded commands keep the resources that they use.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anywarp_cpu::{BoundBuffer, BoundTexture, Kernel, KernelOptions, OffsetKind};
use anywarp_program::{Program, Source, naga, panic_message};
use wgpu::{hal, wgt};

use crate::api::Api;
use crate::bound_buffer::bound_buffer;
use crate::compute_limits::ComputeLimits;
use crate::error::PipelineError;
use crate::kernel_cache::KernelCache;

/// A buffer of a device. Its `Debug` is in `bound_buffer`.
#[derive(Clone)]
pub(crate) struct Buffer {
    pub(crate) memory: anywarp_cpu::Buffer,
    pub(crate) host_access: HostAccess,
    /// Whether it is a staging buffer of wgpu-core, which is copied from once.
    pub(crate) is_upload: bool,
}

/// Whether the host can ever map a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostAccess {
    Mappable,
    None,
}

impl HostAccess {
    pub(crate) fn new(usage: wgt::BufferUses) -> Self {
        let mappable = wgt::BufferUses::MAP_READ | wgt::BufferUses::MAP_WRITE;
        if usage.intersects(mappable) {
            Self::Mappable
        } else {
            Self::None
        }
    }
}

/// A sampler. It can be created and bound, but a pipeline that samples cannot be created.
#[derive(Debug)]
pub(crate) struct Sampler;

/// Timestamps, one for each query.
#[derive(Clone, Debug)]
pub(crate) struct QuerySet {
    pub(crate) values: Arc<[AtomicU64]>,
}

impl QuerySet {
    pub(crate) fn new(count: u32) -> Self {
        let values = (0..count).map(|_| AtomicU64::new(0)).collect();
        Self { values }
    }
}

/// The entries of a bind group layout, which tell the binding types and the dynamic offsets.
#[derive(Debug)]
pub(crate) struct BindGroupLayout {
    entries: Vec<wgt::BindGroupLayoutEntry>,
}

impl BindGroupLayout {
    pub(crate) fn new(entries: &[wgt::BindGroupLayoutEntry]) -> Self {
        Self {
            entries: entries.to_vec(),
        }
    }

    fn binding_type(&self, binding: u32) -> Option<wgt::BindingType> {
        let entry = self.entries.iter().find(|entry| entry.binding == binding)?;
        Some(entry.ty)
    }
}

/// A pipeline layout. It is empty: wgpu-core checks that bind groups and pipelines are compatible.
#[derive(Debug)]
pub(crate) struct PipelineLayout;

/// Buffers and textures by binding number.
#[derive(Clone, Debug)]
pub(crate) struct BindGroup {
    pub(crate) group: Arc<anywarp_cpu::BindGroup>,
}

pub(crate) type BindGroupDescriptor<'a> = hal::BindGroupDescriptor<
    'a,
    BindGroupLayout,
    Buffer,
    Sampler,
    <Api as hal::Api>::TextureView,
    <Api as hal::Api>::AccelerationStructure,
>;

impl BindGroup {
    pub(crate) fn new(descriptor: &BindGroupDescriptor<'_>) -> Self {
        let mut buffers = Vec::new();
        let mut textures = Vec::new();
        for entry in descriptor.entries {
            let binding = entry.binding;
            let first = entry.resource_index as usize;
            let elements = first..first + entry.count as usize;
            match descriptor.layout.binding_type(binding) {
                Some(wgt::BindingType::Buffer {
                    has_dynamic_offset, ..
                }) => {
                    let offset_kind = if has_dynamic_offset {
                        OffsetKind::Dynamic
                    } else {
                        OffsetKind::Fixed
                    };
                    let bound = descriptor.buffers[elements].iter();
                    buffers.extend(bound.map(|buffer| bound_range(binding, buffer, offset_kind)));
                }
                Some(
                    wgt::BindingType::Texture { .. } | wgt::BindingType::StorageTexture { .. },
                ) => {
                    let bound = descriptor.textures[elements].iter();
                    textures.extend(bound.filter_map(|bound| {
                        let texture = bound.view.for_shaders()?.clone();
                        Some(BoundTexture { binding, texture })
                    }));
                }
                // Samplers have no effect; other types are reported as unsupported.
                _ => {}
            }
        }
        Self {
            group: Arc::new(anywarp_cpu::BindGroup::with_textures(buffers, textures)),
        }
    }
}

fn bound_range(
    binding: u32,
    bound: &hal::BufferBinding<'_, Buffer>,
    offset_kind: OffsetKind,
) -> BoundBuffer {
    let buffer = bound_buffer(bound).memory;
    let rest = || buffer.size().saturating_sub(bound.offset);
    BoundBuffer {
        binding,
        offset: bound.offset,
        size: bound.size.map_or_else(rest, wgt::BufferSize::get),
        buffer,
        offset_kind,
    }
}

/// A validated shader.
pub(crate) struct ShaderModule {
    program: Program,
    label: Option<String>,
}

impl fmt::Debug for ShaderModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShaderModule")
            .field("label", &self.label)
            .finish_non_exhaustive()
    }
}

impl ShaderModule {
    pub(crate) fn new(
        label: hal::Label<'_>,
        shader: hal::NagaShader,
    ) -> Result<Self, hal::ShaderError> {
        let source = shader
            .debug_source
            .map(|debug| Source::new(debug.file_name, debug.source_code));
        let program = Program::from_parsed(shader.module.into_owned(), source)
            .map_err(|error| hal::ShaderError::Compilation(error.to_string()))?;
        Ok(Self {
            program,
            label: label.map(str::to_owned),
        })
    }
}

/// A compute pipeline.
#[derive(Clone, Debug)]
pub(crate) struct ComputePipeline {
    pub(crate) shared: Arc<Pipeline>,
}

#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) kernel: Arc<Kernel>,
    label: Option<String>,
    shader: Option<String>,
}

impl fmt::Display for Pipeline {
    /// ``compute pipeline `blur` (entry point `main` of shader `filters.wgsl`)``
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("compute pipeline ")?;
        if let Some(label) = &self.label {
            write!(f, "`{label}` ")?;
        }
        write!(f, "(entry point `{}`", self.kernel.name())?;
        if let Some(shader) = &self.shader {
            write!(f, " of shader `{shader}`")?;
        }
        f.write_str(")")
    }
}

impl ComputePipeline {
    pub(crate) fn new(
        label: hal::Label<'_>,
        stage: &hal::ProgrammableStage<'_, ShaderModule>,
        limits: &ComputeLimits,
        options: KernelOptions,
        kernels: &KernelCache,
    ) -> Result<Self, hal::PipelineError> {
        let (program, entry_point) = (&stage.module.program, stage.entry_point);
        let kernel = kernels.get(program, entry_point, stage.constants, || {
            let constants = stage
                .constants
                .iter()
                .map(|(name, value)| (name.clone(), *value))
                .collect();
            let constants = program.webgpu_constants(&constants);
            let program =
                program.specialize(naga::ShaderStage::Compute, entry_point, &constants)?;
            limits
                .check(&program, entry_point)
                .map_err(|source| PipelineError::Limit {
                    entry_point: entry_point.to_owned(),
                    source,
                })?;
            compile(&program, entry_point, options)
        })?;
        let shared = Arc::new(Pipeline {
            kernel,
            label: label.map(str::to_owned),
            shader: stage.module.label.clone(),
        });
        Ok(Self { shared })
    }
}

/// Compiles a kernel. A panic is a bug of ours, and must not unwind through wgpu-core.
fn compile(
    program: &Program,
    entry_point: &str,
    options: KernelOptions,
) -> Result<Kernel, PipelineError> {
    let compile = || Kernel::with_options(program, entry_point, options);
    // Unwind safety: the program is immutable, and what was made of it is gone.
    let kernel =
        catch_unwind(AssertUnwindSafe(compile)).map_err(|panic| PipelineError::Internal {
            entry_point: entry_point.to_owned(),
            message: panic_message(&*panic),
        })??;
    kernel.check_frames()?;
    Ok(kernel)
}
