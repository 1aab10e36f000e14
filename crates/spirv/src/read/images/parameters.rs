//! Functions that take images or samplers.
//!
//! naga passes both to functions, though it only writes to variables, and has no parameters that are
//! arrays of them. So a function is made once for each combination of types that it is called with, and
//! where naga cannot pass something, once for each variable: then nothing is passed but the indices.

use std::collections::HashSet;

use anywarp_program::naga::{self, Handle};

use super::uses::{self, Path};
use crate::error::{ReadError, Result};
use crate::module::{Function, Id, Instruction};
use crate::read::Reader;
use crate::read::function::{Opaque, Pointer, Root, Step};
use crate::read::layout::Atomics;
use crate::read::types::Type;

/// How a parameter is passed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Passing {
    /// As arguments of these types.
    Passed {
        image: Option<Handle<naga::Type>>,
        sampler: Option<Handle<naga::Type>>,
    },
    /// Not at all.
    Fixed {
        image: Option<Fixed>,
        sampler: Option<Fixed>,
    },
}

/// A variable, and the indices into it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Fixed {
    global: Handle<naga::GlobalVariable>,
    indices: Vec<Id>,
}

/// A function as it is made for some of its calls.
pub(crate) struct Instance {
    /// One a parameter that is an image or a sampler.
    pub(crate) passings: Vec<Passing>,
    /// What they stand for in the first of these calls.
    opaques: Vec<Opaque>,
}

/// What the parameters of an instance mean in its body.
#[derive(Default)]
pub(crate) struct Meanings {
    pub(crate) pointers: Vec<(Id, Pointer)>,
    pub(crate) opaques: Vec<(Id, Opaque)>,
    /// Indices of the caller, with the arguments that they are.
    pub(crate) indices: Vec<(Id, u32)>,
}

impl Reader<'_> {
    /// Whether a type is one of images or samplers.
    pub(crate) fn is_resource(&self, ty: Id) -> Result<bool> {
        uses::is_resource(self.spirv, ty)
    }

    /// All that have to be made of a function.
    pub(in crate::read) fn instances(&self, function: &Function<'_>) -> Result<Vec<Instance>> {
        let parameters = self.images.parameters(function.id);
        let mut instances = Vec::new();
        let mut seen = HashSet::new();
        for resources in self.images.calls(function.id) {
            let (mut passings, mut opaques) = (Vec::new(), Vec::new());
            for (parameter, resource) in parameters.iter().zip(resources) {
                let opaque = Opaque {
                    image: self.path_pointer(resource.image.as_ref())?,
                    sampler: self.path_pointer(resource.sampler.as_ref())?,
                };
                passings.push(self.passing(*parameter, &opaque, &[])?);
                opaques.push(opaque);
            }
            if seen.insert(passings.clone()) {
                instances.push(Instance { passings, opaques });
            }
        }
        Ok(instances)
    }

    fn path_pointer(&self, path: Option<&Path>) -> Result<Option<Pointer>> {
        let Some(path) = path else {
            return Ok(None);
        };
        let pointer = self.global_pointer(path.variable);
        let mut pointer = pointer.ok_or_else(|| {
            ReadError::invalid(format!("{} is no variable of the module", path.variable))
        })?;
        pointer
            .steps
            .extend(path.indices.iter().copied().map(Step::Index));
        Ok(Some(pointer))
    }

    /// How an image, a sampler or both go to a parameter. `arguments` are those of the caller.
    pub(crate) fn passing(
        &self,
        parameter: Id,
        opaque: &Opaque,
        arguments: &[naga::FunctionArgument],
    ) -> Result<Passing> {
        let sides = [opaque.image.as_ref(), opaque.sampler.as_ref()];
        let is_ambiguous = sides
            .into_iter()
            .flatten()
            .any(|pointer| match pointer.root {
                Root::Global(global) => self.faces.get(&global).is_some_and(|it| it.is_ambiguous()),
                _ => false,
            });
        if is_ambiguous || self.images.is_fixed(parameter) {
            return Ok(Passing::Fixed {
                image: sides[0].map(fixed).transpose()?,
                sampler: sides[1].map(fixed).transpose()?,
            });
        }
        let of = |pointer: &Pointer, is_image: bool| match pointer.root {
            Root::Argument(index) => {
                let argument = arguments.get(index as usize);
                argument
                    .map(|it| it.ty)
                    .ok_or_else(|| ReadError::invalid("it has no type"))
            }
            Root::Global(global) => {
                let face = self.faces.get(&global).and_then(|faces| match is_image {
                    true => faces.image(false),
                    false => faces.sampler(false),
                });
                let face = face.ok_or_else(|| ReadError::invalid("it is no image or sampler"));
                face.map(|face| self.element_type(face))
            }
            Root::Local(_) => Err(ReadError::invalid("images and samplers have no copies")),
        };
        Ok(Passing::Passed {
            image: sides[0].map(|it| of(it, true)).transpose()?,
            sampler: sides[1].map(|it| of(it, false)).transpose()?,
        })
    }

    /// Indices that are passed in place of what is fixed: those that are no constants.
    pub(crate) fn passed_indices(&self, passings: &[Passing]) -> Vec<Id> {
        let mut passed = Vec::new();
        for passing in passings {
            let Passing::Fixed { image, sampler } = passing else {
                continue;
            };
            let indices = [image, sampler]
                .into_iter()
                .flatten()
                .flat_map(|it| &it.indices);
            for index in indices {
                if self.constants.get(*index).is_none() && !passed.contains(index) {
                    passed.push(*index);
                }
            }
        }
        passed
    }

    /// Adds the arguments of a parameter. `instance` goes on to the next.
    pub(in crate::read) fn resource_parameter(
        &self,
        parameter: &Instruction<'_>,
        passing: Option<(&Passing, &Opaque)>,
        function: &mut naga::Function,
        meanings: &mut Meanings,
    ) -> Result<()> {
        let (id, ty) = (parameter.result()?, parameter.result_type()?);
        let Some((passing, opaque)) = passing else {
            return Err(parameter.invalid("nothing is passed for it"));
        };
        let name = self.spirv.names.of(id).filter(|name| !name.is_empty());
        let (is_pointer, class, pointee) = match *self.types.get(ty)? {
            Type::Pointer { class, pointee } => (true, class, pointee),
            _ => (false, rspirv::spirv::StorageClass::UniformConstant, ty),
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
                steps: Vec::new(),
                class,
            }
        };
        let opaque = match passing {
            Passing::Fixed { .. } => opaque.clone(),
            Passing::Passed { image, sampler } => {
                let suffix = if image.is_some() { "_sampler" } else { "" };
                Opaque {
                    image: image.map(|ty| argument(ty, "")),
                    sampler: sampler.map(|ty| argument(ty, suffix)),
                }
            }
        };
        if is_pointer {
            // The sampler's argument lies behind the image's.
            let pointer = opaque.image.or(opaque.sampler);
            let pointer = pointer.ok_or_else(|| parameter.invalid("nothing is passed for it"))?;
            meanings.pointers.push((id, pointer));
        } else {
            meanings.opaques.push((id, opaque));
        }
        Ok(())
    }

    /// Adds the arguments that are indices into what is fixed.
    pub(in crate::read) fn index_parameters(
        &mut self,
        passings: &[Passing],
        function: &mut naga::Function,
        meanings: &mut Meanings,
    ) -> Result<()> {
        for index in self.passed_indices(passings) {
            let ty = self.spirv.definition(index)?.result_type()?;
            let ty = self.value_type(ty)?;
            meanings
                .indices
                .push((index, function.arguments.len() as u32));
            let name = self.spirv.names.of(index).filter(|name| !name.is_empty());
            function.arguments.push(naga::FunctionArgument {
                name: name.map(str::to_owned),
                ty,
                binding: None,
            });
        }
        Ok(())
    }
}

impl Instance {
    /// The parameters that are images or samplers, in order.
    pub(in crate::read) fn parameters(&self) -> impl Iterator<Item = (&Passing, &Opaque)> {
        self.passings.iter().zip(&self.opaques)
    }
}

fn fixed(pointer: &Pointer) -> Result<Fixed> {
    let Root::Global(global) = pointer.root else {
        return Err(ReadError::invalid(
            "an image or sampler that is no variable of the module",
        ));
    };
    let mut indices = Vec::new();
    for step in &pointer.steps {
        match step {
            Step::Index(index) => indices.push(*index),
            Step::Member(_) => return Err(ReadError::invalid("images have no members")),
        }
    }
    Ok(Fixed { global, indices })
}
