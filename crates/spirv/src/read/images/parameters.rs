//! Image and sampler parameters.
//!
//! naga functions can take images and samplers, but not arrays of them, and a storage image must be a variable to be
//! written. So a function is specialized for each combination of argument types; where naga cannot pass a resource,
//! for each variable, and then only dynamic indices are passed.

use anywarp_program::naga::{self, Handle};
use rspirv::spirv::StorageClass;

use super::uses;
use crate::error::{ReadError, Result};
use crate::module::{Id, Instruction};
use crate::read::Reader;
use crate::read::function::{Opaque, Pointer, Root};
use crate::read::layout::AtomicPaths;
use crate::read::specialized_pointers::PointerSpecialization;
use crate::read::types::Type;

/// How the argument for a parameter that WGSL cannot take unchanged is passed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ArgumentPassing {
    /// A pointer for which the function is specialized.
    Pointer(PointerSpecialization),
    /// An image, a sampler or both, as arguments of these types.
    Passed {
        image: Option<Handle<naga::Type>>,
        sampler: Option<Handle<naga::Type>>,
    },
    /// An image, a sampler or both, for which the function is specialized.
    Fixed {
        image: Option<PointerSpecialization>,
        sampler: Option<PointerSpecialization>,
    },
}

impl Reader<'_> {
    /// Whether a type is an image, a sampler or both, or a pointer to one.
    pub(crate) fn is_resource(&self, ty: Id) -> Result<bool> {
        uses::is_resource(self.spirv, ty)
    }

    /// Whether the function must be specialized for this argument, because naga cannot pass it.
    pub(crate) fn is_specialized_resource(&self, parameter: Id, opaque: &Opaque) -> bool {
        let resource_kinds = [&opaque.image, &opaque.sampler];
        let is_ambiguous = resource_kinds
            .into_iter()
            .flatten()
            .any(|side| match side.root {
                Root::Global(global) => self
                    .resources
                    .parts
                    .get(&global)
                    .is_some_and(|parts| parts.is_ambiguous()),
                _ => false,
            });
        is_ambiguous || self.facts.images.is_specialized(parameter)
    }

    /// The types of the arguments for an image, a sampler or both. `arguments` are those of the calling function.
    pub(crate) fn passed(
        &self,
        opaque: &Opaque,
        arguments: &[naga::FunctionArgument],
    ) -> Result<ArgumentPassing> {
        let of = |pointer: &Pointer, is_image: bool| match pointer.root {
            Root::Argument(index) => {
                let argument = arguments.get(index as usize);
                argument
                    .map(|argument| argument.ty)
                    .ok_or_else(|| ReadError::invalid("it has no type"))
            }
            Root::Global(global) => {
                let part = self.resources.parts.get(&global).and_then(|parts| {
                    if is_image {
                        parts.image(false)
                    } else {
                        parts.sampler(false)
                    }
                });
                let part = part.ok_or_else(|| ReadError::invalid("it is no image or sampler"));
                part.map(|part| self.element_type(part))
            }
            Root::Local(_) | Root::Value(_) => {
                Err(ReadError::invalid("images and samplers have no copies"))
            }
        };
        let (image, sampler) = (opaque.image.as_ref(), opaque.sampler.as_ref());
        Ok(ArgumentPassing::Passed {
            image: image.map(|image| of(image, true)).transpose()?,
            sampler: sampler.map(|sampler| of(sampler, false)).transpose()?,
        })
    }

    /// Adds the arguments for an image, a sampler or both; returns the pointers inside the function.
    pub(in crate::read) fn resource_parameter(
        &self,
        parameter: &Instruction<'_>,
        passing: Option<&ArgumentPassing>,
        function: &mut naga::Function,
    ) -> Result<Opaque> {
        let (id, ty) = (parameter.result()?, parameter.result_type()?);
        let name = self.spirv.names.of(id).filter(|name| !name.is_empty());
        let (image, sampler) = match passing {
            Some(ArgumentPassing::Passed { image, sampler }) => (*image, *sampler),
            Some(ArgumentPassing::Fixed { image, sampler }) => {
                let mut pointer =
                    |specialization: &PointerSpecialization| specialization.pointer(name, function);
                let image_at = image.as_ref().map(&mut pointer);
                // If both have the same indices, these are passed once.
                let sampler_at = if image.is_some() && image == sampler {
                    image_at.clone()
                } else {
                    sampler.as_ref().map(&mut pointer)
                };
                return Ok(Opaque {
                    image: image_at,
                    sampler: sampler_at,
                });
            }
            _ => return Err(parameter.invalid("a call has too few arguments")),
        };
        let pointee = match *self.types.get(ty)? {
            Type::Pointer { pointee, .. } => pointee,
            _ => ty,
        };
        let mut argument = |ty, suffix: &str| {
            let index = function.arguments.len() as u32;
            function.arguments.push(naga::FunctionArgument {
                name: name.map(|name| format!("{name}{suffix}")),
                ty,
                binding: None,
            });
            Pointer {
                root: Root::Argument(index),
                ty: pointee,
                atomics: AtomicPaths::new(),
                steps: Default::default(),
                class: StorageClass::UniformConstant,
            }
        };
        let suffix = if image.is_some() { "_sampler" } else { "" };
        Ok(Opaque {
            image: image.map(|ty| argument(ty, "")),
            sampler: sampler.map(|ty| argument(ty, suffix)),
        })
    }
}
