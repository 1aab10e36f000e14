//! Declares the naga variables (faces) of images and samplers.
//!
//! In: the resource variables of the module and their uses. Out: for each variable one naga variable for each of its
//! faces, with types, access and bindings. Variables that one entry point uses at the same binding share the faces of
//! the same type.

use std::collections::BTreeMap;

use anywarp_program::naga::{
    self, AddressSpace, ArraySize, Handle, ImageClass, ImageDimension, ScalarKind, StorageAccess,
    TypeInner,
};
use rspirv::spirv::{Decoration, Dim, StorageClass};

use super::Uses;
use super::binding_assignment::{BindingAssignment, Variant, Wanted};
use super::formats::{named_format, storage_format};
use crate::bindings::BindingPoint;
use crate::error::{ErrorKind, ReadError, Result};
use crate::maps::HashMap;
use crate::module::{Id, Instruction};
use crate::read::Reader;
use crate::read::layout::Atomics;
use crate::read::types::{Depth, Image, Type, Usage};

/// The kind of a naga variable that an image or sampler variable is split into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Face {
    /// A texture or storage texture.
    Texture,
    /// A depth texture.
    Depth,
    Sampler,
    /// A comparison sampler.
    Comparison,
}

impl Face {
    pub(super) fn is_image(self) -> bool {
        matches!(self, Self::Texture | Self::Depth)
    }

    /// The suffix of the variable name for faces other than the first.
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
pub(crate) struct Faces {
    handles: BTreeMap<Face, Handle<naga::GlobalVariable>>,
}

impl Faces {
    /// The image; `compares` prefers the depth texture.
    pub(crate) fn image(&self, compares: bool) -> Option<Handle<naga::GlobalVariable>> {
        self.either(Face::Texture, Face::Depth, compares)
    }

    /// The sampler; `compares` prefers the comparison sampler.
    pub(crate) fn sampler(&self, compares: bool) -> Option<Handle<naga::GlobalVariable>> {
        self.either(Face::Sampler, Face::Comparison, compares)
    }

    /// The preferred face, or the only one.
    fn either(
        &self,
        plain: Face,
        compared: Face,
        compares: bool,
    ) -> Option<Handle<naga::GlobalVariable>> {
        let get = |face| self.handles.get(&face).copied();
        if compares {
            get(compared).or(get(plain))
        } else {
            get(plain).or(get(compared))
        }
    }

    /// Whether the use determines which of two images or two samplers is meant.
    pub(crate) fn is_ambiguous(&self) -> bool {
        let has = |face| self.handles.contains_key(&face);
        has(Face::Texture) && has(Face::Depth) || has(Face::Sampler) && has(Face::Comparison)
    }
}

/// A resource variable before bindings are assigned.
struct Resource {
    id: Id,
    ty: Id,
    at: BindingPoint,
    faces: BTreeMap<Face, TypeInner>,
    length: Option<ArraySize>,
    /// The variant index of each face at its binding.
    variants: BTreeMap<Face, usize>,
}

impl Resource {
    fn variant(&self, face: Face) -> Variant {
        (self.at, self.variants.get(&face).copied().unwrap_or(0))
    }
}

/// The distinct types of each face at a binding, by variant index.
type Variants = HashMap<(BindingPoint, Face), Vec<(TypeInner, Option<ArraySize>)>>;

/// The declared naga variables; variables of the module may share one.
type Made = HashMap<(Variant, Face), Handle<naga::GlobalVariable>>;

impl<'a> Reader<'a> {
    /// Declares all images and samplers. All types are known by now.
    pub(in crate::read) fn declare_resources(
        &mut self,
        variables: &[Instruction<'a>],
    ) -> Result<()> {
        let mut resources = Vec::new();
        let mut wanted: BTreeMap<Variant, Wanted> = BTreeMap::new();
        let mut variants = Variants::default();
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
                tell_apart(&mut resource, &mut variants);
            }
            for face in resource.faces.keys() {
                let at = wanted.entry(resource.variant(*face)).or_default();
                at.faces.insert(*face);
                let name = self.name(resource.id);
                at.name = at.name.take().or(name);
            }
            resources.push(resource);
        }
        self.resources.places =
            BindingAssignment::plan(self.spirv, &wanted, &self.options.bindings)?;
        let mut made = Made::default();
        for resource in resources {
            self.declare_resource(resource, &variants, &mut made);
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
        let mut faces = BTreeMap::new();
        match *self.types.get(element)? {
            Type::Image(image) => self.image_faces(id, at, image, uses, &mut faces)?,
            Type::Sampler => sampler_faces(uses, &mut faces),
            Type::SampledImage { image } => {
                let Type::Image(image) = *self.types.get(image)? else {
                    return Err(instruction.invalid(format!("{image} is no image type")));
                };
                self.image_faces(id, at, image, uses, &mut faces)?;
                sampler_faces(uses, &mut faces);
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
            faces,
            length,
            variants: BTreeMap::new(),
        })
    }

    fn image_faces(
        &self,
        id: Id,
        at: BindingPoint,
        image: Image,
        uses: Uses,
        faces: &mut BTreeMap<Face, TypeInner>,
    ) -> Result<()> {
        let kind = self.texel_kind(&image)?;
        let (dim, arrayed) = shape(&image)?;
        let multi = image.is_multisampled;
        if multi && arrayed {
            return Err(ReadError::unsupported("multisampled images with layers"));
        }
        let mut add = |face, class| {
            faces.insert(
                face,
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
                add(Face::Texture, ImageClass::Sampled { kind, multi });
            }
            Usage::Storage => add(Face::Texture, self.storage_class(id, at, &image, uses)?),
            Usage::Sampled => {
                let can_be_depth = kind == ScalarKind::Float && dim != ImageDimension::D3;
                if uses.is_compared && !can_be_depth {
                    return Err(ReadError::invalid("it cannot be compared with depths"));
                }
                let is_declared = image.depth == Depth::Yes && can_be_depth;
                let is_depth = uses.is_compared || is_declared && !uses.needs_colour;
                if is_depth {
                    add(Face::Depth, ImageClass::Depth { multi });
                }
                if uses.needs_colour || !is_depth {
                    add(Face::Texture, ImageClass::Sampled { kind, multi });
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
        uses: Uses,
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

    fn declare_resource(&mut self, resource: Resource, variants: &Variants, made: &mut Made) {
        let name = self.name(resource.id);
        let is_shared = self.facts.sharing.contains(&resource.id);
        let mut faces = Faces::default();
        for (face, inner) in &resource.faces {
            let (face, variant) = (*face, resource.variant(*face));
            let known = made.get(&(variant, face)).filter(|_| is_shared);
            if let Some(known) = known {
                faces.handles.insert(face, *known);
                continue;
            }
            // A shared variable has the accesses of all variables at the binding.
            let shared = variants.get(&(resource.at, face)).filter(|_| is_shared);
            let shared = shared.and_then(|all| all.get(variant.1));
            let inner = shared.map_or(inner, |(inner, _)| inner).clone();
            let base = self.insert_type(inner);
            let ty = match resource.length {
                None => base,
                Some(size) => self.insert_type(TypeInner::BindingArray { base, size }),
            };
            let is_first = faces.handles.is_empty();
            let variable = naga::GlobalVariable {
                name: name.as_ref().map(|name| {
                    if is_first {
                        name.clone()
                    } else {
                        format!("{name}_{}", face.suffix())
                    }
                }),
                space: AddressSpace::Handle,
                binding: Some(self.resources.places.of(variant, face)),
                ty,
                init: None,
                memory_decorations: naga::MemoryDecorations::empty(),
            };
            let handle = self.module.global_variables.append(variable, self.span);
            if is_shared {
                made.insert((variant, face), handle);
            }
            faces.handles.insert(face, handle);
        }
        let Some(first) = faces.handles.values().next().copied() else {
            return;
        };
        let class = StorageClass::UniformConstant;
        self.add_variable(resource.id, first, resource.ty, class, Atomics::new());
        // Another variable may have the same first face.
        let known = self.resources.faces.entry(first).or_default();
        known.handles.extend(faces.handles);
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

/// Sets the variant index of each face; adds a variant for a type that is new at the binding.
fn tell_apart(resource: &mut Resource, variants: &mut Variants) {
    for (face, inner) in &resource.faces {
        let all = variants.entry((resource.at, *face)).or_default();
        let alike = all
            .iter_mut()
            .position(|(known, length)| *length == resource.length && is_merged(known, inner));
        let variant = alike.unwrap_or_else(|| {
            all.push((inner.clone(), resource.length));
            all.len() - 1
        });
        resource.variants.insert(*face, variant);
    }
}

/// Whether two faces can be one variable. If so, a storage image gets the access of both.
fn is_merged(known: &mut TypeInner, other: &TypeInner) -> bool {
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

fn sampler_faces(uses: Uses, faces: &mut BTreeMap<Face, TypeInner>) {
    if uses.compares {
        faces.insert(Face::Comparison, TypeInner::Sampler { comparison: true });
    }
    if uses.samples || !uses.compares {
        faces.insert(Face::Sampler, TypeInner::Sampler { comparison: false });
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
