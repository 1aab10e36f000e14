//! Image and sampler parameters.
//!
//! naga functions can take images and samplers, but not arrays of them, and a storage image must be a variable to be
//! written. So a function is specialised for each combination of argument types; where naga cannot pass a resource,
//! for each variable, and then only dynamic indices are passed.

use anywarp_program::naga::{self, Handle};
use rspirv::spirv::StorageClass;

use super::uses;
use crate::error::{ReadError, Result};
use crate::module::{Id, Instruction};
use crate::read::Reader;
use crate::read::function::{Opaque, Pointer, Root};
use crate::read::layout::Atomics;
use crate::read::specialised_pointers::PointerSpecialisation;
use crate::read::types::Type;

/// How the argument for a parameter that WGSL cannot take unchanged is passed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Passing {
    /// A pointer for which the function is specialised.
    Pointer(PointerSpecialisation),
    /// An image, a sampler or both, as arguments of these types.
    Passed {
        image: Option<Handle<naga::Type>>,
        sampler: Option<Handle<naga::Type>>,
    },
    /// An image, a sampler or both, for which the function is specialised.
    Fixed {
        image: Option<PointerSpecialisation>,
        sampler: Option<PointerSpecialisation>,
    },
}

impl Reader<'_> {
    /// Whether a type is an image, a sampler or both, or a pointer to one.
    pub(crate) fn is_resource(&self, ty: Id) -> Result<bool> {
        uses::is_resource(self.spirv, ty)
    }

    /// Whether the function must be specialised for this argument, because naga cannot pass it.
    pub(crate) fn is_fixed(&self, parameter: Id, opaque: &Opaque) -> bool {
        let sides = [&opaque.image, &opaque.sampler];
        let is_ambiguous = sides.into_iter().flatten().any(|it| match it.root {
            Root::Global(global) => self
                .resources
                .faces
                .get(&global)
                .is_some_and(|it| it.is_ambiguous()),
            _ => false,
        });
        is_ambiguous || self.facts.images.is_fixed(parameter)
    }

    /// The types of the arguments for an image, a sampler or both. `arguments` are those of the calling function.
    pub(crate) fn passed(
        &self,
        opaque: &Opaque,
        arguments: &[naga::FunctionArgument],
    ) -> Result<Passing> {
        let of = |pointer: &Pointer, is_image: bool| match pointer.root {
            Root::Argument(index) => {
                let argument = arguments.get(index as usize);
                argument
                    .map(|it| it.ty)
                    .ok_or_else(|| ReadError::invalid("it has no type"))
            }
            Root::Global(global) => {
                let face = self.resources.faces.get(&global).and_then(|faces| {
                    if is_image {
                        faces.image(false)
                    } else {
                        faces.sampler(false)
                    }
                });
                let face = face.ok_or_else(|| ReadError::invalid("it is no image or sampler"));
                face.map(|face| self.element_type(face))
            }
            Root::Local(_) | Root::Value(_) => {
                Err(ReadError::invalid("images and samplers have no copies"))
            }
        };
        let (image, sampler) = (opaque.image.as_ref(), opaque.sampler.as_ref());
        Ok(Passing::Passed {
            image: image.map(|it| of(it, true)).transpose()?,
            sampler: sampler.map(|it| of(it, false)).transpose()?,
        })
    }

    /// Adds the arguments for an image, a sampler or both; returns the pointers inside the function.
    pub(in crate::read) fn resource_parameter(
        &self,
        parameter: &Instruction<'_>,
        passing: Option<&Passing>,
        function: &mut naga::Function,
    ) -> Result<Opaque> {
        let (id, ty) = (parameter.result()?, parameter.result_type()?);
        let name = self.spirv.names.of(id).filter(|name| !name.is_empty());
        let (image, sampler) = match passing {
            Some(Passing::Passed { image, sampler }) => (*image, *sampler),
            Some(Passing::Fixed { image, sampler }) => {
                let mut pointer = |it: &PointerSpecialisation| it.pointer(name, function);
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
                atomics: Atomics::new(),
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
