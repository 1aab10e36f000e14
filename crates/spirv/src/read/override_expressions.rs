//! Override expressions: array lengths and workgroup sizes computed from specialization constants.
//!
//! Inside functions, `OpSpecConstantOp` is evaluated at its uses. An array length or workgroup size instead becomes a
//! naga override whose initializer is an override expression.

use anywarp_program::naga::{
    self, BinaryOperator as Binary, Expression, Handle, ScalarKind, UnaryOperator as Unary,
};
use rspirv::spirv::Op;

use super::Reader;
use super::constants::Constant;
use super::layout;
use crate::error::{ReadError, Result};
use crate::module::{Id, Instruction};

/// The maximum number of operations in one override expression; longer chains are split by intermediate overrides.
const MAX_CHAIN: usize = 64;

impl Reader<'_> {
    /// The override for an integer constant.
    pub(super) fn override_of(&mut self, id: Id) -> Result<Handle<naga::Override>> {
        if let Some((_, Constant::Override(handle))) = self.constants.get(id) {
            return Ok(*handle);
        }
        if let Some(known) = self.constant_values.computed.get(&id) {
            return Ok(*known);
        }
        let init = self.override_expression(id)?;
        self.new_override(id, init)
    }

    fn new_override(&mut self, id: Id, init: Handle<Expression>) -> Result<Handle<naga::Override>> {
        let (ty, _) = self.constants.get(id).expect("it has an expression");
        // naga requires an override to have an id or a name.
        let name = self.spirv.names.of(id).filter(|name| !name.is_empty());
        let made = naga::Override {
            name: Some(name.unwrap_or("computed").to_owned()),
            id: None,
            ty: self.value_type(ty)?,
            init: Some(init),
        };
        let handle = self.module.overrides.append(made, self.span);
        self.constant_values.computed.insert(id, handle);
        Ok(handle)
    }

    fn append(&mut self, expression: Expression) -> Handle<Expression> {
        self.module.global_expressions.append(expression, self.span)
    }

    /// Chains may be long and share operands, so each operand is translated once, in topological order.
    fn override_expression(&mut self, id: Id) -> Result<Handle<Expression>> {
        if let Some(known) = self.constant_values.specialized.get(&id) {
            return Ok(*known);
        }
        for (number, part) in self.constants.computed_parts(id).into_iter().enumerate() {
            let is_operation =
                matches!(self.constants.get(part), Some((_, Constant::Operation(_))));
            if !is_operation || self.constant_values.specialized.contains_key(&part) {
                continue;
            }
            let mut made = self.override_itself(part)?;
            // Split the chain here.
            if number % MAX_CHAIN == MAX_CHAIN - 1 {
                let handle = self.new_override(part, made)?;
                made = self.append(Expression::Override(handle));
            }
            self.constant_values.specialized.insert(part, made);
        }
        let made = self.override_itself(id)?;
        self.constant_values.specialized.insert(id, made);
        Ok(made)
    }

    fn override_itself(&mut self, id: Id) -> Result<Handle<Expression>> {
        let Some((ty, constant)) = self.constants.get(id) else {
            return Err(ReadError::invalid(format!("{id} is no constant")));
        };
        Ok(match constant.clone() {
            Constant::Literal(literal) => self.append(Expression::Literal(literal)),
            Constant::Zero => {
                let ty = self.value_type(ty)?;
                self.append(Expression::ZeroValue(ty))
            }
            Constant::Override(handle) => self.append(Expression::Override(handle)),
            Constant::Recast(handle) => {
                let scalar = layout::scalar(&self.types, ty)?;
                let expr = self.append(Expression::Override(handle));
                self.append(Expression::As {
                    expr,
                    kind: scalar.kind,
                    convert: Some(scalar.width),
                })
            }
            Constant::Operation(instruction) => {
                let inner = instruction.inner_operation()?;
                self.override_operation(&inner)?
            }
            Constant::Composite(_) | Constant::Bits { .. } => {
                return Err(ReadError::unsupported(format!(
                    "{id} in a length or a size"
                )));
            }
        })
    }

    /// An operand, bitcast to this signedness if necessary.
    fn override_operand(&mut self, id: Id, kind: Option<ScalarKind>) -> Result<Handle<Expression>> {
        let expr = self.override_expression(id)?;
        let (ty, _) = self.constants.get(id).expect("it has an expression");
        let is = layout::scalar(&self.types, ty)?;
        Ok(match kind {
            Some(kind) if kind != is.kind && is.kind != ScalarKind::Bool => {
                let convert = Some(is.width);
                self.append(Expression::As {
                    expr,
                    kind,
                    convert,
                })
            }
            _ => expr,
        })
    }

    fn override_operation(&mut self, instruction: &Instruction<'_>) -> Result<Handle<Expression>> {
        let (signed, unsigned) = (Some(ScalarKind::Sint), Some(ScalarKind::Uint));
        let ty = instruction.result_type()?;
        let own = layout::scalar(&self.types, ty)?;
        let (op, kind) = match instruction.op {
            Op::CompositeExtract => return self.override_part(instruction),
            Op::Select => {
                let condition = self.override_expression(instruction.id(0)?)?;
                let accept = self.override_expression(instruction.id(1)?)?;
                let reject = self.override_expression(instruction.id(2)?)?;
                return Ok(self.append(Expression::Select {
                    condition,
                    accept,
                    reject,
                }));
            }
            Op::SNegate | Op::Not | Op::LogicalNot => {
                let op = match instruction.op {
                    Op::SNegate => Unary::Negate,
                    Op::Not => Unary::BitwiseNot,
                    _ => Unary::LogicalNot,
                };
                let kind = if instruction.op == Op::SNegate {
                    signed
                } else {
                    Some(own.kind)
                };
                let expr = self.override_operand(instruction.id(0)?, kind)?;
                let expr = self.append(Expression::Unary { op, expr });
                return Ok(self.with_kind(expr, own, kind));
            }
            Op::UConvert | Op::SConvert => {
                let kind = if instruction.op == Op::UConvert {
                    unsigned
                } else {
                    signed
                };
                let expr = self.override_operand(instruction.id(0)?, kind)?;
                let convert = Some(own.width);
                let kind = own.kind;
                return Ok(self.append(Expression::As {
                    expr,
                    kind,
                    convert,
                }));
            }
            Op::SMod => {
                let left = self.override_operand(instruction.id(0)?, signed)?;
                let right = self.override_operand(instruction.id(1)?, signed)?;
                let mut value = left;
                for op in [Binary::Modulo, Binary::Add, Binary::Modulo] {
                    let left = value;
                    value = self.append(Expression::Binary { op, left, right });
                }
                return Ok(self.with_kind(value, own, signed));
            }
            Op::IAdd => (Binary::Add, Some(own.kind)),
            Op::ISub => (Binary::Subtract, Some(own.kind)),
            Op::IMul => (Binary::Multiply, Some(own.kind)),
            Op::UDiv => (Binary::Divide, unsigned),
            Op::SDiv => (Binary::Divide, signed),
            Op::UMod => (Binary::Modulo, unsigned),
            Op::SRem => (Binary::Modulo, signed),
            Op::ShiftLeftLogical => (Binary::ShiftLeft, Some(own.kind)),
            Op::ShiftRightLogical => (Binary::ShiftRight, unsigned),
            Op::ShiftRightArithmetic => (Binary::ShiftRight, signed),
            Op::BitwiseAnd => (Binary::And, Some(own.kind)),
            Op::BitwiseOr => (Binary::InclusiveOr, Some(own.kind)),
            Op::BitwiseXor => (Binary::ExclusiveOr, Some(own.kind)),
            Op::LogicalAnd => (Binary::LogicalAnd, None),
            Op::LogicalOr => (Binary::LogicalOr, None),
            Op::IEqual | Op::LogicalEqual => (Binary::Equal, unsigned),
            Op::INotEqual | Op::LogicalNotEqual => (Binary::NotEqual, unsigned),
            Op::ULessThan => (Binary::Less, unsigned),
            Op::ULessThanEqual => (Binary::LessEqual, unsigned),
            Op::UGreaterThan => (Binary::Greater, unsigned),
            Op::UGreaterThanEqual => (Binary::GreaterEqual, unsigned),
            Op::SLessThan => (Binary::Less, signed),
            Op::SLessThanEqual => (Binary::LessEqual, signed),
            Op::SGreaterThan => (Binary::Greater, signed),
            Op::SGreaterThanEqual => (Binary::GreaterEqual, signed),
            op => {
                return Err(instruction.unsupported(format!("Op{op:?} in a length or a size")));
            }
        };
        let left = self.override_operand(instruction.id(0)?, kind)?;
        let is_shift = matches!(op, Binary::ShiftLeft | Binary::ShiftRight);
        let right =
            self.override_operand(instruction.id(1)?, if is_shift { unsigned } else { kind })?;
        let expr = self.append(Expression::Binary { op, left, right });
        Ok(self.with_kind(expr, own, kind))
    }

    fn with_kind(
        &mut self,
        expr: Handle<Expression>,
        own: naga::Scalar,
        is: Option<ScalarKind>,
    ) -> Handle<Expression> {
        match is {
            Some(is) if is != own.kind && own.kind != ScalarKind::Bool => {
                let convert = Some(own.width);
                self.append(Expression::As {
                    expr,
                    kind: own.kind,
                    convert,
                })
            }
            _ => expr,
        }
    }

    fn override_part(&mut self, instruction: &Instruction<'_>) -> Result<Handle<Expression>> {
        let mut whole = instruction.id(0)?;
        for index in &instruction.operands[1..] {
            let Some((_, Constant::Composite(parts))) = self.constants.get(whole) else {
                return Err(
                    instruction.unsupported("a part of a computed constant in a length or a size")
                );
            };
            let part = parts.get(*index as usize).copied();
            whole = part.ok_or_else(|| instruction.invalid(format!("there is no part {index}")))?;
        }
        self.override_expression(whole)
    }
}
