//! The interface of an entry point: its stage and the resources that it uses.
//!
//! In: a program without overrides and the name of an entry point. Out: an [`Interface`], or an error that names what
//! the CPU device does not support. It is one pass over the module-scope variables and one over the statements.
//!
//! Compute is the only stage. Vertex and fragment entry points become variants of [`Stage`], with their inputs and
//! outputs, and [`Interface::new`] is the place that accepts them; until then they are refused by name.

use anywarp_program::Program;
use anywarp_texture::{Dimension, Format, Kind};
use naga::proc::IndexableLength;
use naga::{
    AddressSpace, ArraySize, EntryPoint, GlobalVariable, ImageClass, ImageDimension, Module,
    ScalarKind, ShaderStage, StorageAccess, StorageFormat, TypeInner,
};

use crate::broadcast;
use crate::{Access, Elements, KernelError, Multisampling, Resource, ResourceKind, TextureBinding};

/// The stage of an entry point, with what the stage adds to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// `@compute`.
    Compute {
        /// Invocations of a workgroup along x, y and z.
        workgroup_size: [u32; 3],
    },
}

/// The interface of an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Interface {
    /// The entry point's name.
    pub name: String,
    /// Its index among the entry points of the module.
    pub index: usize,
    /// Its stage.
    pub stage: Stage,
    /// The resources that it uses, in the order in which [`Arguments`](crate::Arguments) lists them: that of their
    /// declarations.
    pub resources: Vec<Resource>,
}

impl Interface {
    /// The interface of a compute entry point of a program without overrides (see [`Program::specialize`]).
    pub fn new(program: &Program, entry_point: &str) -> Result<Self, KernelError> {
        let entries = program.module().entry_points.iter().enumerate();
        let (index, entry) = entries
            .filter(|(_, entry)| entry.name == entry_point)
            .find(|(_, entry)| entry.stage == ShaderStage::Compute)
            .ok_or_else(|| KernelError::NoEntryPoint(entry_point.to_owned()))?;
        broadcast::check(program, entry)?;
        Ok(Self {
            name: entry.name.clone(),
            index,
            stage: compute(entry)?,
            resources: resources(program, index)?,
        })
    }

    /// Invocations of a workgroup along x, y and z.
    pub fn workgroup_size(&self) -> [u32; 3] {
        let Stage::Compute { workgroup_size } = self.stage;
        workgroup_size
    }
}

fn compute(entry: &EntryPoint) -> Result<Stage, KernelError> {
    if entry.workgroup_size_overrides.is_some() {
        return Err(KernelError::Unresolved("the workgroup size".to_owned()));
    }
    Ok(Stage::Compute {
        workgroup_size: entry.workgroup_size,
    })
}

/// The resources that an entry point uses.
fn resources(program: &Program, index: usize) -> Result<Vec<Resource>, KernelError> {
    let module = program.module();
    let info = program.info().get_entry_point(index);
    let mut resources = Vec::new();
    for (handle, variable) in module.global_variables.iter() {
        if info[handle].is_empty() {
            continue;
        }
        let resource = resource(module, variable).map_err(|Unsupported(feature)| {
            KernelError::Unsupported {
                feature: format!("`{}`: {feature}", name(variable)),
                location: program
                    .locate(module.global_variables.get_span(handle))
                    .map(Box::new),
            }
        })?;
        resources.extend(resource);
    }
    Ok(resources)
}

/// An unsupported type of resource; the text names it.
struct Unsupported(&'static str);

/// The resource of a variable; `None` if it is none, or a sampler.
fn resource(module: &Module, variable: &GlobalVariable) -> Result<Option<Resource>, Unsupported> {
    let (inner, elements) = elements(module, &module.types[variable.ty].inner)?;
    let (kind, is_writable, min_size) = match variable.space {
        AddressSpace::Uniform => (ResourceKind::Uniform, false, inner.size(module.to_ctx())),
        AddressSpace::Storage { access } => {
            let is_writable = access.contains(StorageAccess::STORE);
            let min_size = inner.size(module.to_ctx());
            (ResourceKind::Storage, is_writable, min_size)
        }
        AddressSpace::Handle => match *inner {
            TypeInner::Image {
                dim,
                arrayed,
                class,
            } => {
                let written = StorageAccess::STORE | StorageAccess::ATOMIC;
                let is_writable = matches!(class, ImageClass::Storage { access, .. } if access.intersects(written));
                let texture = texture_binding(dim, arrayed, class)?;
                (ResourceKind::Texture(texture), is_writable, 0)
            }
            // A sampler alone is harmless; engines report that sampling is not supported.
            TypeInner::Sampler { .. } => return Ok(None),
            TypeInner::AccelerationStructure { .. } | TypeInner::RayQuery { .. } => {
                return Err(Unsupported("ray tracing"));
            }
            _ => return Err(Unsupported("this type of resource")),
        },
        _ => return Ok(None),
    };
    let Some(binding) = variable.binding else {
        return Err(Unsupported("a resource without @group and @binding"));
    };
    Ok(Some(Resource {
        group: binding.group,
        binding: binding.binding,
        name: name(variable).to_owned(),
        kind,
        elements,
        access: if is_writable {
            Access::ReadWrite
        } else {
            Access::Read
        },
        min_size: u64::from(min_size),
    }))
}

fn name(variable: &GlobalVariable) -> &str {
    variable.name.as_deref().unwrap_or("unnamed variable")
}

/// The type of one element, and the number of elements.
fn elements<'m>(
    module: &'m Module,
    inner: &'m TypeInner,
) -> Result<(&'m TypeInner, Elements), Unsupported> {
    let TypeInner::BindingArray { base, size } = *inner else {
        return Ok((inner, Elements::Single));
    };
    let elements = match size {
        ArraySize::Dynamic => Elements::Any,
        _ => match size.resolve(module.to_ctx()) {
            Ok(IndexableLength::Known(len)) => Elements::Exactly(len),
            Ok(IndexableLength::Dynamic) => Elements::Any,
            Err(_) => return Err(Unsupported("an array whose size is not resolved")),
        },
    };
    Ok((&module.types[base].inner, elements))
}

/// The declaration of a texture variable.
fn texture_binding(
    dim: ImageDimension,
    arrayed: bool,
    class: ImageClass,
) -> Result<TextureBinding, Unsupported> {
    let dimension = match (dim, arrayed) {
        (ImageDimension::D1, false) => Dimension::D1,
        (ImageDimension::D1, true) => return Err(Unsupported("an array of 1D textures")),
        (ImageDimension::D2, false) => Dimension::D2,
        (ImageDimension::D2, true) => Dimension::D2Array,
        (ImageDimension::D3, _) => Dimension::D3,
        (ImageDimension::Cube, false) => Dimension::Cube,
        (ImageDimension::Cube, true) => Dimension::CubeArray,
    };
    let multisampling = |multi| {
        if multi {
            Multisampling::Multiple
        } else {
            Multisampling::Single
        }
    };
    let (kind, multisampling, storage) = match class {
        ImageClass::Sampled { kind, multi } => {
            let kind = match kind {
                ScalarKind::Sint => Kind::Sint,
                ScalarKind::Uint => Kind::Uint,
                _ => Kind::Float,
            };
            (kind, multisampling(multi), None)
        }
        ImageClass::Depth { multi } => (Kind::Depth, multisampling(multi), None),
        ImageClass::Storage { format, .. } => {
            let format = storage_format(format);
            (format.kind(), Multisampling::Single, Some(format))
        }
        ImageClass::External => return Err(Unsupported("an external texture")),
    };
    Ok(TextureBinding {
        dimension,
        kind,
        multisampling,
        storage,
    })
}

macro_rules! same_names {
    ($format:expr; $($name:ident)*) => {
        match $format {
            $(StorageFormat::$name => Format::$name,)*
        }
    };
}

fn storage_format(format: StorageFormat) -> Format {
    same_names! { format;
        R8Unorm R8Snorm R8Uint R8Sint
        R16Uint R16Sint R16Float R16Unorm R16Snorm
        Rg8Unorm Rg8Snorm Rg8Uint Rg8Sint
        R32Uint R32Sint R32Float
        Rg16Uint Rg16Sint Rg16Float Rg16Unorm Rg16Snorm
        Rgba8Unorm Rgba8Snorm Rgba8Uint Rgba8Sint Bgra8Unorm
        Rgb10a2Uint Rgb10a2Unorm Rg11b10Ufloat
        R64Uint Rg32Uint Rg32Sint Rg32Float
        Rgba16Uint Rgba16Sint Rgba16Float Rgba16Unorm Rgba16Snorm
        Rgba32Uint Rgba32Sint Rgba32Float
    }
}
