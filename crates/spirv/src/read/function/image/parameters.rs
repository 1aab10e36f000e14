//! Images and samplers as parameters and arguments.

use anywarp_program::naga::{Expression, Function, Handle};

use super::{Body, Value};
use crate::error::Result;
use crate::module::{Id, Instruction};
use crate::read::function::body::{Opaque, Value as Meaning};
use crate::read::images::Passing;
use crate::read::images::parameters::Meanings;
use crate::read::types::Type;

impl Body<'_, '_> {
    /// Says what parameters mean that are images, samplers, or indices into arrays of them.
    pub(crate) fn resource_parameters(&mut self, meanings: Meanings) {
        for (id, pointer) in meanings.pointers {
            self.values.insert(id, Meaning::Pointer(pointer));
        }
        for (id, opaque) in meanings.opaques {
            self.values.insert(id, Meaning::Opaque(opaque));
        }
        for (id, argument) in meanings.indices {
            let value = self.add_apart(Expression::FunctionArgument(argument));
            self.values.insert(id, Meaning::Expression(value));
        }
    }

    /// The function that a call means, and its arguments.
    pub(crate) fn arguments(
        &mut self,
        call: &Instruction<'_>,
    ) -> Result<(Handle<Function>, Vec<Value>)> {
        let callee = call.id(0)?;
        let (mut arguments, mut passings) = (Vec::new(), Vec::new());
        for id in call.ids(1) {
            let ty = self.type_id(id)?;
            if self.reader.is_resource(ty)? {
                let parameters = self.reader.images.parameters(callee);
                let parameter = parameters.get(passings.len()).copied();
                let parameter =
                    parameter.ok_or_else(|| call.invalid("an argument does not fit"))?;
                let passing = self.pass(parameter, id, &mut arguments)?;
                passings.push(passing);
                continue;
            }
            arguments.push(match self.reader.types.get(ty)? {
                Type::Pointer { .. } => {
                    let pointer = self.pointer(id)?;
                    self.pointer_argument(&pointer)?
                }
                _ => self.value(id)?,
            });
        }
        for index in self.reader.passed_indices(&passings) {
            arguments.push(self.value(index)?);
        }
        let function = self.reader.function_taking(callee, passings)?;
        Ok((function, arguments))
    }

    fn pass(&mut self, parameter: Id, id: Id, arguments: &mut Vec<Value>) -> Result<Passing> {
        let opaque = self.resource_argument(id)?;
        let passing = self
            .reader
            .passing(parameter, &opaque, &self.function.arguments)?;
        if let Passing::Passed { .. } = passing {
            if let Some(image) = &opaque.image {
                arguments.push(self.image_at(image, false)?.expression);
            }
            if let Some(sampler) = opaque.sampler {
                arguments.push(self.sampler_at(sampler, false)?);
            }
        }
        Ok(passing)
    }

    /// What an argument is, whether it is a pointer or not.
    fn resource_argument(&mut self, id: Id) -> Result<Opaque> {
        let ty = self.type_id(id)?;
        let Type::Pointer { .. } = self.reader.types.get(ty)? else {
            return self.opaque(id);
        };
        let pointer = self.pointer(id)?;
        let mut pointee = self.pointee(&pointer)?;
        if let Type::Array { element, .. } | Type::RuntimeArray { element } =
            *self.reader.types.get(pointee)?
        {
            pointee = element;
        }
        Ok(match self.reader.types.get(pointee)? {
            Type::Sampler => Opaque {
                image: None,
                sampler: Some(pointer),
            },
            Type::SampledImage { .. } => self.reader.split_pointer(&pointer),
            _ => Opaque {
                image: Some(pointer),
                sampler: None,
            },
        })
    }
}
