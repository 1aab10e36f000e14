//! Conversions between kinds and widths of numbers.

use anywarp_program::naga::{Expression, Handle, MathFunction, ScalarKind, TypeInner};
use rspirv::spirv::Op;

use super::body::{Body, Value as Meaning};
use crate::error::Result;
use crate::module::Instruction;
use crate::read::types::Type;

impl Body<'_, '_> {
    /// Translates an instruction of this family; false for any other.
    pub(super) fn conversion(&mut self, instruction: &Instruction<'_>) -> Result<bool> {
        let value = match instruction.op {
            Op::ConvertFToU | Op::ConvertUToF | Op::UConvert => {
                self.convert(instruction, Some(ScalarKind::Uint))?
            }
            Op::ConvertFToS | Op::ConvertSToF | Op::SConvert => {
                self.convert(instruction, Some(ScalarKind::Sint))?
            }
            Op::FConvert => self.convert(instruction, None)?,
            Op::QuantizeToF16 => {
                let value = self.value(instruction.id(0)?)?;
                self.function_of(MathFunction::QuantizeToF16, &[value])
            }
            Op::Bitcast => self.reinterpret(instruction)?,
            Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => {
                return self.copy(instruction).map(|()| true);
            }
            _ => return Ok(false),
        };
        self.set(instruction, value)?;
        Ok(true)
    }

    /// `kind` is what integers mean, whether they are the operand or the result.
    fn convert(
        &mut self,
        instruction: &Instruction<'_>,
        kind: Option<ScalarKind>,
    ) -> Result<Handle<Expression>> {
        let ty = instruction.result_type()?;
        let from = self.type_id(instruction.id(0)?)?;
        let is_float = self.scalar(from)?.kind == ScalarKind::Float;
        let expr = self.operand(instruction.id(0)?, kind.filter(|_| !is_float))?;
        let to = self.scalar(ty)?;
        let made = match (to.kind, kind) {
            (ScalarKind::Float, _) | (_, None) => to.kind,
            (_, Some(kind)) => kind,
        };
        let value = self.add(Expression::As {
            expr,
            kind: made,
            convert: Some(to.width),
        });
        // An integer that becomes wider keeps the value that its sign gives it.
        self.result(
            ty,
            value,
            Some(made).filter(|_| to.kind != ScalarKind::Float),
        )
    }

    fn reinterpret(&mut self, instruction: &Instruction<'_>) -> Result<Handle<Expression>> {
        let ty = instruction.result_type()?;
        if matches!(self.reader.types.get(ty)?, Type::Pointer { .. }) {
            return Err(instruction.unsupported("pointers reinterpreted"));
        }
        let from = self.type_id(instruction.id(0)?)?;
        let (from_inner, to_inner) = (self.inner(from)?, self.inner(ty)?);
        let expr = self.value(instruction.id(0)?)?;
        let (from_scalar, to) = (self.scalar(from)?, self.scalar(ty)?);
        if from_inner == to_inner {
            return Ok(expr);
        }
        if from_scalar.width == to.width && count(&from_inner) == count(&to_inner) {
            return Ok(self.add(Expression::As {
                expr,
                kind: to.kind,
                convert: None,
            }));
        }
        Err(instruction.unsupported("reinterpreting numbers as numbers of another width"))
    }

    fn copy(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let (from, to) = (instruction.id(0)?, instruction.result()?);
        match self.values.get(&from) {
            Some(meaning @ (Meaning::Pointer(_) | Meaning::Opaque(_))) => {
                let meaning = meaning.clone();
                self.values.insert(to, meaning);
                Ok(())
            }
            _ => {
                let value = self.value(from)?;
                let ty = self.type_id(from)?;
                let value = self.logical_copy(value, ty, instruction.result_type()?)?;
                self.set(instruction, value)
            }
        }
    }
}

fn count(inner: &TypeInner) -> u32 {
    match inner {
        TypeInner::Vector { size, .. } => *size as u32,
        _ => 1,
    }
}
