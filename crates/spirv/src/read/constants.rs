//! Constants and specialization constants.
//!
//! In: the constant instructions of the module. Out: [`Constant`] by id. A specialization constant is a naga override
//! unless it is frozen. Constants derived from others are built again at their uses, so nothing here depends on the
//! values that a pipeline sets.

use anywarp_program::naga::{self, Handle, Literal, Scalar, ScalarKind};
use rspirv::spirv::{Decoration, Op};

use super::constant_folding;
use super::id_table::IdTable;
use super::layout;
use super::types::{Type, Types};
use crate::error::{ReadError, Result};
use crate::maps::HashSet;
use crate::module::{Id, Instruction, Module};

#[derive(Clone, Debug)]
pub(crate) enum Constant<'a> {
    Literal(Literal),
    /// A float that WGSL has no literal for: infinity or NaN.
    Bits {
        scalar: Scalar,
        bits: u64,
    },
    /// A null or undefined value; both are zero.
    Zero,
    Composite(Vec<Id>),
    Override(Handle<naga::Override>),
    /// A bitcast of an override with the same `SpecId` to the other signedness.
    Recast(Handle<naga::Override>),
    /// An `OpSpecConstantOp`.
    Operation(Instruction<'a>),
}

/// All constants of a module.
#[derive(Debug, Default)]
pub(crate) struct Constants<'a> {
    constants: IdTable<(Id, Constant<'a>)>,
}

impl<'a> Constants<'a> {
    /// Records the constant that an instruction declares.
    pub(crate) fn declare(
        &mut self,
        instruction: &Instruction<'a>,
        spirv: &Module<'a>,
        types: &Types,
        overrides: &mut Overrides<'_>,
    ) -> Result<()> {
        let constant = match instruction.op {
            Op::ConstantTrue => Constant::Literal(Literal::Bool(true)),
            Op::ConstantFalse => Constant::Literal(Literal::Bool(false)),
            Op::SpecConstantTrue | Op::SpecConstantFalse => {
                let default = Literal::Bool(instruction.op == Op::SpecConstantTrue);
                overrides.make(instruction, spirv, types, default)?
            }
            Op::Constant => number(instruction, types)?,
            Op::SpecConstant => match number(instruction, types)? {
                // naga has no 64-bit overrides.
                number @ Constant::Literal(Literal::I64(_) | Literal::U64(_)) => number,
                Constant::Literal(default) => overrides.make(instruction, spirv, types, default)?,
                // WGSL cannot write an infinite or NaN default either.
                number => number,
            },
            Op::ConstantComposite | Op::SpecConstantComposite => {
                self.known(instruction, instruction.ids(0))?;
                Constant::Composite(instruction.ids(0).collect())
            }
            Op::ConstantNull | Op::Undef => Constant::Zero,
            Op::SpecConstantOp => {
                let inner = instruction.inner_operation()?;
                self.known(instruction, inner.used().into_iter())?;
                match constant_folding::fold(&inner, self, types)? {
                    Some(literal) => Constant::Literal(literal),
                    None => Constant::Operation(*instruction),
                }
            }
            Op::ConstantSampler => {
                return Err(instruction.unsupported("samplers that are constants"));
            }
            _ => return Err(instruction.unsupported("this kind of constant")),
        };
        let ty = instruction.result_type()?;
        self.constants.insert(instruction.result()?, (ty, constant));
        Ok(())
    }

    /// Checks that the operands of a constant are constants that are declared before it.
    fn known(&self, of: &Instruction<'_>, mut parts: impl Iterator<Item = Id>) -> Result<()> {
        match parts.find(|part| !self.constants.contains(*part)) {
            None => Ok(()),
            Some(part) => Err(of.invalid(format!("{part} is no constant that is known here"))),
        }
    }

    /// The type and value of a constant.
    pub(crate) fn get(&self, id: Id) -> Option<(Id, &Constant<'a>)> {
        let (ty, constant) = self.constants.get(id)?;
        Some((*ty, constant))
    }

    /// The transitive operands of a constant, without itself, in topological order: operands first.
    pub(crate) fn computed_parts(&self, id: Id) -> Vec<Id> {
        let mut order = Vec::new();
        let mut seen = HashSet::from_iter([id]);
        let mut open = vec![(id, false)];
        while let Some((at, is_over)) = open.pop() {
            if is_over {
                order.push(at);
                continue;
            }
            let parts = match self.get(at) {
                Some((_, Constant::Composite(parts))) => parts.clone(),
                Some((_, Constant::Operation(instruction))) => {
                    let inner = instruction.inner_operation();
                    inner.map(|inner| inner.used()).unwrap_or_default()
                }
                _ => continue,
            };
            open.push((at, true));
            let new = parts.into_iter().filter(|part| seen.insert(*part));
            open.extend(new.map(|part| (part, false)));
        }
        // The last is the constant itself, unless it has no operands.
        order.pop();
        order
    }

    /// The components of a constant as floats, rounded; `None` if it is not a known number.
    pub(crate) fn numbers(&self, id: Id) -> Option<Vec<f64>> {
        let number = |id: Id| match *self.get(id)?.1 {
            Constant::Literal(Literal::F16(value)) => Some(value.to_f64()),
            Constant::Literal(Literal::F32(value)) => Some(value.into()),
            Constant::Literal(Literal::F64(value)) => Some(value),
            Constant::Literal(literal) => Some(integer(literal)? as f64),
            Constant::Zero => Some(0.0),
            _ => None,
        };
        match self.get(id)? {
            (_, Constant::Composite(parts)) => parts.iter().map(|part| number(*part)).collect(),
            _ => Some(vec![number(id)?]),
        }
    }

    /// Whether an integer constant, or any component of an integer vector, satisfies `is`. False for specialization
    /// constants.
    pub(crate) fn any_integer(&self, id: Id, is: &dyn Fn(i64) -> bool) -> bool {
        match self.get(id) {
            Some((_, Constant::Composite(parts))) => {
                parts.iter().any(|part| self.integer(*part).is_some_and(is))
            }
            _ => self.integer(id).is_some_and(is),
        }
    }

    /// The value of an integer constant; `None` if a pipeline may change it.
    pub(crate) fn integer(&self, id: Id) -> Option<i64> {
        match self.get(id)?.1 {
            Constant::Literal(literal) => integer(*literal),
            Constant::Zero => Some(0),
            _ => None,
        }
    }
}

/// The value of an integer literal.
pub(crate) fn integer(literal: Literal) -> Option<i64> {
    match literal {
        Literal::I32(value) => Some(value.into()),
        Literal::U32(value) => Some(value.into()),
        Literal::I64(value) => Some(value),
        Literal::U64(value) => i64::try_from(value).ok(),
        _ => None,
    }
}

/// Creates overrides for specialization constants.
pub(crate) struct Overrides<'m> {
    pub(crate) module: &'m mut naga::Module,
    /// All specialization constants keep their defaults.
    pub(crate) is_frozen: bool,
    /// The specialization constants that keep their defaults in any case.
    pub(crate) frozen: &'m HashSet<Id>,
    pub(crate) span: naga::Span,
}

impl Overrides<'_> {
    fn make<'a>(
        &mut self,
        instruction: &Instruction<'a>,
        spirv: &Module<'a>,
        types: &Types,
        default: Literal,
    ) -> Result<Constant<'a>> {
        let id = instruction.result()?;
        // Without a `SpecId` a pipeline cannot set it.
        let Some(number) = spirv.decorations.value(id, Decoration::SpecId) else {
            return Ok(Constant::Literal(default));
        };
        if self.is_frozen || self.frozen.contains(&id) {
            return Ok(Constant::Literal(default));
        }
        let number = u16::try_from(number).map_err(|_| {
            instruction.unsupported(format!("SpecId {number}, WGSL's end at 65535"))
        })?;
        let scalar = layout::scalar(types, instruction.result_type()?)?;
        let ty = naga::Type {
            name: None,
            inner: naga::TypeInner::Scalar(scalar),
        };
        let ty = self.module.types.insert(ty, self.span);
        if let Some(known) = self.sharing(number, scalar, default) {
            return known.ok_or_else(|| {
                instruction.unsupported(format!(
                    "SpecId {number} of constants that differ in type or default"
                ))
            });
        }
        let default = naga::Expression::Literal(default);
        let init = self.module.global_expressions.append(default, self.span);
        let made = naga::Override {
            name: spirv.names.of(id).map(str::to_owned),
            id: Some(number),
            ty,
            init: Some(init),
        };
        let made = self.module.overrides.append(made, self.span);
        Ok(Constant::Override(made))
    }
}

impl Overrides<'_> {
    /// The constant for a `SpecId` that another constant has already. `None` if the `SpecId` is new; `Some(None)` if
    /// the two constants are incompatible.
    fn sharing(
        &self,
        number: u16,
        scalar: Scalar,
        default: Literal,
    ) -> Option<Option<Constant<'static>>> {
        let mut overrides = self.module.overrides.iter();
        let (handle, known) = overrides.find(|(_, declaration)| declaration.id == Some(number))?;
        let is_known = known.init.map(|init| &self.module.global_expressions[init]);
        let Some(naga::Expression::Literal(other)) = is_known else {
            return Some(None);
        };
        let bits = |literal: Literal| match literal {
            Literal::I32(value) => Some(u64::from(value.cast_unsigned())),
            Literal::U32(value) => Some(value.into()),
            Literal::I64(value) => Some(value.cast_unsigned()),
            Literal::U64(value) => Some(value),
            _ => None,
        };
        let is_same_type = other.scalar() == scalar;
        if is_same_type && *other == default {
            return Some(Some(Constant::Override(handle)));
        }
        let is_same = other.width() == scalar.width
            && bits(default).is_some()
            && bits(*other) == bits(default);
        Some((is_same && !is_same_type).then_some(Constant::Recast(handle)))
    }
}

/// The literal value of an `OpConstant` or the default of an `OpSpecConstant`.
fn number<'a>(instruction: &Instruction<'a>, types: &Types) -> Result<Constant<'a>> {
    let ty = instruction.result_type()?;
    let low = instruction.word(0)?;
    let wide = || -> Result<u64> { Ok(u64::from(low) | u64::from(instruction.word(1)?) << 32) };
    let scalar = layout::scalar(types, ty)?;
    let literal = match (types.get(ty)?, scalar.kind) {
        // Narrow signed integers are stored sign-extended; some compilers omit the extension.
        (
            Type::Int {
                bits: 8,
                is_signed: true,
            },
            _,
        ) => Literal::I32((low as i8).into()),
        (
            Type::Int {
                bits: 16,
                is_signed: true,
            },
            _,
        ) => Literal::I32((low as i16).into()),
        (Type::Int { bits: 8, .. }, _) => Literal::U32(low & 0xff),
        (Type::Int { bits: 16, .. }, _) => Literal::U32(low & 0xffff),
        (Type::Int { bits: 64, .. }, ScalarKind::Sint) => Literal::I64(wide()?.cast_signed()),
        (Type::Int { bits: 64, .. }, _) => Literal::U64(wide()?),
        (_, ScalarKind::Sint) => Literal::I32(low.cast_signed()),
        (_, ScalarKind::Uint) => Literal::U32(low),
        (Type::Float { bits: 16 }, _) => {
            let value = half::f16::from_bits(low as u16);
            if value.is_finite() {
                Literal::F16(value)
            } else {
                return Ok(Constant::Bits {
                    scalar,
                    bits: low.into(),
                });
            }
        }
        (Type::Float { bits: 64 }, _) => match f64::from_bits(wide()?) {
            value if value.is_finite() => Literal::F64(value),
            _ => {
                return Ok(Constant::Bits {
                    scalar,
                    bits: wide()?,
                });
            }
        },
        (Type::Float { .. }, _) => match f32::from_bits(low) {
            value if value.is_finite() => Literal::F32(value),
            _ => {
                return Ok(Constant::Bits {
                    scalar,
                    bits: low.into(),
                });
            }
        },
        _ => return Err(ReadError::invalid(format!("{ty} is not a type of numbers"))),
    };
    Ok(Constant::Literal(literal))
}
