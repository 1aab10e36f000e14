//! Image and sampler parameters, and arguments of calls.

use std::rc::Rc;

use super::{Body, Expr};
use crate::error::{ReadError, Result};
use crate::module::Id;
use crate::read::function::body::{Opaque, SpirvValue};
use crate::read::function::memory::Pointer;
use crate::read::images::ArgumentPassing;
use crate::read::specialized_pointers::PointerSpecialization;
use crate::read::types::Type;

impl Body<'_, '_> {
    /// Records the value of a parameter that is an image, a sampler or both, or a pointer to one.
    pub(crate) fn resource_parameter(&mut self, id: Id, opaque: Opaque) -> Result<()> {
        let ty = self.type_id(id)?;
        let meaning = match self.reader.types.get(ty)? {
            // For a combined image-sampler the argument of the sampler follows that of the image, so the image pointer
            // suffices.
            Type::Pointer { .. } => {
                let pointer = opaque.image.or(opaque.sampler);
                let pointer = pointer.ok_or_else(|| ReadError::invalid("it points to nothing"))?;
                SpirvValue::Pointer(Rc::new(pointer))
            }
            _ => SpirvValue::Opaque(Box::new(opaque)),
        };
        self.values.insert(id, meaning);
        Ok(())
    }

    /// Adds the call arguments for an image, a sampler or both. `before` has the passing of the parameters before it.
    pub(in crate::read::function) fn pass(
        &mut self,
        callee: Id,
        id: Id,
        before: &[ArgumentPassing],
        arguments: &mut Vec<Expr>,
    ) -> Result<ArgumentPassing> {
        let is_resource =
            |passing: &&ArgumentPassing| !matches!(passing, ArgumentPassing::Pointer(_));
        let number = before.iter().filter(is_resource).count();
        let parameter = self
            .reader
            .facts
            .images
            .parameters(callee)
            .get(number)
            .copied();
        let parameter = parameter.ok_or_else(|| {
            ReadError::invalid(format!("{callee} does not take the image or sampler {id}"))
        })?;
        let opaque = self.resource_argument(id)?;
        if !self.reader.is_specialized_resource(parameter, &opaque) {
            if let Some(image) = &opaque.image {
                arguments.push(self.image_at(image, false)?.expression);
            }
            if let Some(sampler) = &opaque.sampler {
                arguments.push(self.sampler_at(sampler.clone(), false)?);
            }
            return self.reader.passed(&opaque, &self.function.arguments);
        }
        let image = self.fixed(opaque.image.as_ref())?;
        let sampler = self.fixed(opaque.sampler.as_ref())?;
        // If both have the same indices, these are passed once.
        let is_same = image.is_some() && image == sampler;
        let steps =
            |pointer: &Option<Pointer>| pointer.as_ref().map(|pointer| pointer.steps.clone());
        if is_same && steps(&opaque.image) != steps(&opaque.sampler) {
            let feature =
                "an image and a sampler of different elements of one array as one parameter";
            return Err(ReadError::unsupported(feature));
        }
        let sampler_at = opaque.sampler.filter(|_| !is_same);
        for (pointer, handed) in [(opaque.image, &image), (sampler_at, &sampler)] {
            if let (Some(pointer), Some(handed)) = (pointer, handed) {
                self.hand_over_indices(&pointer, handed, arguments)?;
            }
        }
        Ok(ArgumentPassing::Fixed { image, sampler })
    }

    fn fixed(&mut self, pointer: Option<&Pointer>) -> Result<Option<PointerSpecialization>> {
        pointer.map(|pointer| self.handed_over(pointer)).transpose()
    }

    /// The image and sampler of an argument, which may be a pointer or a value.
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
                sampler: Some(Rc::unwrap_or_clone(pointer)),
            },
            Type::SampledImage { .. } => self.reader.split_pointer(&pointer),
            _ => Opaque {
                image: Some(Rc::unwrap_or_clone(pointer)),
                sampler: None,
            },
        })
    }
}
