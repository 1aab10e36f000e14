//! Declares the naga variables (parts) of images and samplers.
//!
//! In: the resource variables of the module and their uses. Out: for each variable one naga variable for each of its
//! parts, with types, access and bindings. Variables that one entry point uses at the same binding share the parts of
//! the same type.

use std::collections::BTreeMap;

use anywarp_program::naga::{
    self, AddressSpace, ArraySize, Handle, ImageClass, ImageDimension, ScalarKind, StorageAccess,
    TypeInner,
};
use rspirv::spirv::{Decoration, Dim, StorageClass};

use super::ResourceUses;
use super::binding_assignment::{BindingAssignment, RequiredParts, Variant};
use super::formats::{named_format, storage_format};
use crate::bindings::BindingPoint;
use crate::error::{ErrorKind, ReadError, Result};
use crate::maps::HashMap;
use crate::module::{Id, Instruction};
use crate::read::Reader;
use crate::read::layout::AtomicPaths;
use crate::read::types::{Depth, Image, Type, Usage};

/// The kind of a naga variable that an image or sampler variable is split into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ResourcePart {
    /// A texture or storage texture.
    Texture,
    /// A depth texture.
    Depth,
    Sampler,
    /// A comparison sampler.
    Comparison,
}

impl ResourcePart {
    pub(super) fn is_image(self) -> bool {
        matches!(self, Self::Texture | Self::Depth)
    }

    /// The suffix of the variable name for parts other than the first.
    fn suffix(self) -> &'static str {
        match self {
            Self::Texture => "texture",
            Self::Depth => "depth",
            Self::Sampler => "sampler",
            Self::Comparison => "comparison",
        }
    }
}

/// The naga variables of one resource.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResourceParts {
    handles: BTreeMap<ResourcePart, Handle<naga::GlobalVariable>>,
}

impl ResourceParts {
    /// The image; `compares` prefers the depth texture.
    pub(crate) fn image(&self, compares: bool) -> Option<Handle<naga::GlobalVariable>> {
        self.either(ResourcePart::Texture, ResourcePart::Depth, compares)
    }

    /// The sampler; `compares` prefers the comparison sampler.
    pub(crate) fn sampler(&self, compares: bool) -> Option<Handle<naga::GlobalVariable>> {
        self.either(ResourcePart::Sampler, ResourcePart::Comparison, compares)
    }

    /// The preferred part, or the only one.
    fn either(
        &self,
        plain: ResourcePart,
        compared: ResourcePart,
        compares: bool,
    ) -> Option<Handle<naga::GlobalVariable>> {
        let get = |part| self.handles.get(&part).copied();
        if compares {
            get(compared).or(get(plain))
        } else {
            get(plain).or(get(compared))
        }
    }

    /// Whether the use determines which of two images or two samplers is meant.
    pub(crate) fn is_ambiguous(&self) -> bool {
        let has = |part| self.handles.contains_key(&part);
        has(ResourcePart::Texture) && has(ResourcePart::Depth)
            || has(ResourcePart::Sampler) && has(ResourcePart::Comparison)
    }
}

/// A resource variable before bindings are assigned.
struct Resource {
    id: Id,
    ty: Id,
    at: BindingPoint,
    parts: BTreeMap<ResourcePart, TypeInner>,
    length: Option<ArraySize>,
    /// The variant index of each part at its binding.
    variants: BTreeMap<ResourcePart, usize>,
}

impl Resource {
    fn variant(&self, part: ResourcePart) -> Variant {
        (self.at, self.variants.get(&part).copied().unwrap_or(0))
    }
}

/// The distinct types of each part at a binding, by variant index.
type VariantTypes = HashMap<(BindingPoint, ResourcePart), Vec<(TypeInner, Option<ArraySize>)>>;

/// The declared naga variables; variables of the module may share one.
type DeclaredVariables = HashMap<(Variant, ResourcePart), Handle<naga::GlobalVariable>>;

impl<'a> Reader<'a> {
    /// Declares all images and samplers. All types are known by now.
    pub(in crate::read) fn declare_resources(
        &mut self,
        variables: &[Instruction<'a>],
    ) -> Result<()> {
        let mut resources = Vec::new();
        let mut required: BTreeMap<Variant, RequiredParts> = BTreeMap::new();
        let mut variants = VariantTypes::default();
        for instruction in variables {
            let mut resource = match self.resource(instruction) {
                Ok(resource) => resource,
                // An unused variable may have an unsupported type.
                Err(error)
                    if error.kind() == ErrorKind::Unsupported
                        && !self.is_used(instruction.result()?) =>
                {
                    continue;
                }
                Err(error) => {
                    let line = self.spirv.line(instruction.offset);
                    return Err(error
                        .at(instruction.offset, Some(instruction.op))
                        .of_line(line));
                }
            };
            if self.facts.sharing.contains(&resource.id) {
                assign_variants(&mut resource, &mut variants);
            }
            for part in resource.parts.keys() {
                let at = required.entry(resource.variant(*part)).or_default();
                at.parts.insert(*part);
                let name = self.name(resource.id);
                at.name = at.name.take().or(name);
            }
            resources.push(resource);
        }
        self.resources.places =
            BindingAssignment::plan(self.spirv, &required, &self.options.bindings)?;
        let mut declared = DeclaredVariables::default();
        for resource in resources {
            self.declare_resource(resource, &variants, &mut declared);
        }
        Ok(())
    }

    fn name(&self, id: Id) -> Option<String> {
        let name = self.spirv.names.of(id).filter(|name| !name.is_empty());
        name.map(str::to_owned)
    }

    fn resource(&self, instruction: &Instruction<'_>) -> Result<Resource> {
        let id = instruction.result()?;
        let (_, ty) = self.types.pointee(instruction.result_type()?)?;
        let binding = self.binding(instruction, id)?;
        let at = BindingPoint {
            group: binding.group,
            binding: binding.binding,
        };
        let (element, length) = match *self.types.get(ty)? {
            Type::Array { element, length } => (element, Some(self.layouts.length(length)?)),
            Type::RuntimeArray { element } => (element, Some(ArraySize::Dynamic)),
            _ => (ty, None),
        };
        let uses = self.facts.images.uses(id);
        let mut parts = BTreeMap::new();
        match *self.types.get(element)? {
            Type::Image(image) => self.image_parts(id, at, image, uses, &mut parts)?,
            Type::Sampler => sampler_parts(uses, &mut parts),
            Type::SampledImage { image } => {
                let Type::Image(image) = *self.types.get(image)? else {
                    return Err(instruction.invalid(format!("{image} is no image type")));
                };
                self.image_parts(id, at, image, uses, &mut parts)?;
                sampler_parts(uses, &mut parts);
            }
            Type::Array { .. } | Type::RuntimeArray { .. } => {
                return Err(instruction.unsupported("arrays of arrays of images or samplers"));
            }
            _ => return Err(instruction.unsupported("data of class UniformConstant")),
        }
        Ok(Resource {
            id,
            ty,
            at,
            parts,
            length,
            variants: BTreeMap::new(),
        })
    }

    fn image_parts(
        &self,
        id: Id,
        at: BindingPoint,
        image: Image,
        uses: ResourceUses,
        parts: &mut BTreeMap<ResourcePart, TypeInner>,
    ) -> Result<()> {
        let kind = self.texel_kind(&image)?;
        let (dim, arrayed) = shape(&image)?;
        let multi = image.is_multisampled;
        if multi && arrayed {
            return Err(ReadError::unsupported("multisampled images with layers"));
        }
        let mut add = |part, class| {
            parts.insert(
                part,
                TypeInner::Image {
                    dim,
                    arrayed,
                    class,
                },
            );
        };
        match image.usage {
            Usage::Unknown => {
                return Err(ReadError::unsupported(
                    "images of which the module does not say whether they have samplers",
                ));
            }
            Usage::Storage if image.dim == Dim::DimSubpassData => {
                add(ResourcePart::Texture, ImageClass::Sampled { kind, multi });
            }
            Usage::Storage => add(
                ResourcePart::Texture,
                self.storage_class(id, at, &image, uses)?,
            ),
            Usage::Sampled => {
                let can_be_depth = kind == ScalarKind::Float && dim != ImageDimension::D3;
                if uses.is_compared && !can_be_depth {
                    return Err(ReadError::invalid("it cannot be compared with depths"));
                }
                let is_declared = image.depth == Depth::Yes && can_be_depth;
                let is_depth = uses.is_compared || is_declared && !uses.needs_color;
                if is_depth {
                    add(ResourcePart::Depth, ImageClass::Depth { multi });
                }
                if uses.needs_color || !is_depth {
                    add(ResourcePart::Texture, ImageClass::Sampled { kind, multi });
                }
            }
        }
        Ok(())
    }

    /// The scalar kind of the texels.
    fn texel_kind(&self, image: &Image) -> Result<ScalarKind> {
        Ok(match *self.types.get(image.sampled)? {
            Type::Float { bits: 16 | 32 } => ScalarKind::Float,
            Type::Int { bits: 64, .. } if image.usage != Usage::Storage => {
                return Err(ReadError::unsupported(
                    "sampled images of integers of 64 bits",
                ));
            }
            Type::Int {
                is_signed: true, ..
            } => ScalarKind::Sint,
            Type::Int { .. } => ScalarKind::Uint,
            _ => {
                return Err(ReadError::unsupported(
                    "images of what is neither f32, i32 nor u32",
                ));
            }
        })
    }

    fn storage_class(
        &self,
        id: Id,
        at: BindingPoint,
        image: &Image,
        uses: ResourceUses,
    ) -> Result<ImageClass> {
        if image.is_multisampled {
            return Err(ReadError::unsupported("multisampled storage images"));
        }
        let kind = self.texel_kind(image)?;
        let named = self.options.bindings.get(at.group, at.binding);
        let named = named.and_then(|split| split.format.as_deref());
        let format = match named.filter(|_| image.format == rspirv::spirv::ImageFormat::Unknown) {
            Some(name) => named_format(name)?,
            None => storage_format(image.format, kind)?,
        };
        let has = |kind| self.spirv.decorations.has(id, kind);
        let both = StorageAccess::LOAD | StorageAccess::STORE;
        // Few formats support read-write access, so it is used only where the image is both read and written.
        let access = match (uses.is_read, uses.is_written) {
            _ if uses.is_atomic => both | StorageAccess::ATOMIC,
            (true, true) => both,
            (true, false) => StorageAccess::LOAD,
            (false, false) if has(Decoration::NonWritable) => StorageAccess::LOAD,
            (false, _) => StorageAccess::STORE,
        };
        Ok(ImageClass::Storage { format, access })
    }

    fn declare_resource(
        &mut self,
        resource: Resource,
        variants: &VariantTypes,
        declared: &mut DeclaredVariables,
    ) {
        let name = self.name(resource.id);
        let is_shared = self.facts.sharing.contains(&resource.id);
        let mut parts = ResourceParts::default();
        for (part, inner) in &resource.parts {
            let (part, variant) = (*part, resource.variant(*part));
            let known = declared.get(&(variant, part)).filter(|_| is_shared);
            if let Some(known) = known {
                parts.handles.insert(part, *known);
                continue;
            }
            // A shared variable has the accesses of all variables at the binding.
            let shared = variants.get(&(resource.at, part)).filter(|_| is_shared);
            let shared = shared.and_then(|all| all.get(variant.1));
            let inner = shared.map_or(inner, |(inner, _)| inner).clone();
            let base = self.insert_type(inner);
            let ty = match resource.length {
                None => base,
                Some(size) => self.insert_type(TypeInner::BindingArray { base, size }),
            };
            let is_first = parts.handles.is_empty();
            let variable = naga::GlobalVariable {
                name: name.as_ref().map(|name| {
                    if is_first {
                        name.clone()
                    } else {
                        format!("{name}_{}", part.suffix())
                    }
                }),
                space: AddressSpace::Handle,
                binding: Some(self.resources.places.of(variant, part)),
                ty,
                init: None,
                memory_decorations: naga::MemoryDecorations::empty(),
            };
            let handle = self.module.global_variables.append(variable, self.span);
            if is_shared {
                declared.insert((variant, part), handle);
            }
            parts.handles.insert(part, handle);
        }
        let Some(first) = parts.handles.values().next().copied() else {
            return;
        };
        let class = StorageClass::UniformConstant;
        self.add_variable(resource.id, first, resource.ty, class, AtomicPaths::new());
        // Another variable may have the same first part.
        let known = self.resources.parts.entry(first).or_default();
        known.handles.extend(parts.handles);
    }

    /// The naga type of an image or sampler, or of the elements of an array of them.
    pub(crate) fn element_type(&self, global: Handle<naga::GlobalVariable>) -> Handle<naga::Type> {
        let ty = self.module.global_variables[global].ty;
        match self.module.types[ty].inner {
            TypeInner::BindingArray { base, .. } => base,
            _ => ty,
        }
    }
}

/// Sets the variant index of each part; adds a variant for a type that is new at the binding.
fn assign_variants(resource: &mut Resource, variants: &mut VariantTypes) {
    for (part, inner) in &resource.parts {
        let all = variants.entry((resource.at, *part)).or_default();
        let alike = all
            .iter_mut()
            .position(|(known, length)| *length == resource.length && merge_types(known, inner));
        let variant = alike.unwrap_or_else(|| {
            all.push((inner.clone(), resource.length));
            all.len() - 1
        });
        resource.variants.insert(*part, variant);
    }
}

/// Whether two parts can be one variable. If so, a storage image gets the access of both.
fn merge_types(known: &mut TypeInner, other: &TypeInner) -> bool {
    let TypeInner::Image {
        dim,
        arrayed,
        class,
    } = known
    else {
        return known == other;
    };
    let TypeInner::Image {
        dim: other_dim,
        arrayed: other_arrayed,
        class: other_class,
    } = other
    else {
        return false;
    };
    if (*dim, *arrayed) != (*other_dim, *other_arrayed) {
        return false;
    }
    match (class, other_class) {
        (
            ImageClass::Storage { format, access },
            ImageClass::Storage {
                format: other_format,
                access: other_access,
            },
        ) => {
            let is_alike = format == other_format;
            if is_alike {
                *access |= *other_access;
            }
            is_alike
        }
        (class, other_class) => class == other_class,
    }
}

fn sampler_parts(uses: ResourceUses, parts: &mut BTreeMap<ResourcePart, TypeInner>) {
    if uses.compares {
        parts.insert(
            ResourcePart::Comparison,
            TypeInner::Sampler { comparison: true },
        );
    }
    if uses.samples || !uses.compares {
        parts.insert(
            ResourcePart::Sampler,
            TypeInner::Sampler { comparison: false },
        );
    }
}

/// The naga dimension, and whether the image is arrayed.
fn shape(image: &Image) -> Result<(ImageDimension, bool)> {
    let is_storage = image.usage == Usage::Storage;
    let dim = match image.dim {
        Dim::Dim1D => ImageDimension::D1,
        Dim::Dim2D => ImageDimension::D2,
        Dim::Dim3D => ImageDimension::D3,
        // WGSL has no storage cubes: the faces become array layers, with the indices that SPIR-V uses.
        Dim::DimCube if is_storage => return Ok((ImageDimension::D2, true)),
        Dim::DimCube => ImageDimension::Cube,
        Dim::DimRect => return Err(ReadError::unsupported("images of dimension Rect")),
        Dim::DimBuffer => {
            return Err(ReadError::unsupported(
                "texel buffers (images of dimension Buffer)",
            ));
        }
        // An input attachment is read like any other 2D image.
        Dim::DimSubpassData => ImageDimension::D2,
        dim => {
            return Err(ReadError::unsupported(format!(
                "images of dimension {dim:?}"
            )));
        }
    };
    Ok((dim, image.is_arrayed))
}
