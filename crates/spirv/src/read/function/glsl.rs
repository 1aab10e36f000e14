//! The extended instruction set GLSL.std.450.
//!
//! Instructions that naga has with the same semantics become one expression. The rest is expanded: semantics that WGSL
//! leaves open (which operand of `NMin` wins against NaN), scalar forms of functions that WGSL has for vectors only,
//! and matrix inverses. Non-semantic sets are ignored; all other sets are unsupported.

mod geometry;
mod matrix;
mod modf_frexp;

use crate::read::function::Expr;
use anywarp_program::naga::{
    BinaryOperator as Binary, Expression, Literal, MathFunction as Math, Scalar, ScalarKind,
};
use rspirv::spirv::{Decoration, GlslStd450Op as Glsl};

use super::body::Body;
use crate::error::Result;
use crate::module::{Id, Instruction, InstructionSet};

/// The index of the first operand, after the set and the instruction number.
const FIRST: usize = 2;

fn argument(instruction: &Instruction<'_>, at: usize) -> Result<Id> {
    instruction.id(FIRST + at)
}

impl Body<'_, '_> {
    pub(super) fn extended_instruction(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        match self.reader.spirv.sets.get(&instruction.id(0)?) {
            Some(InstructionSet::Glsl) => {}
            Some(InstructionSet::NonSemantic) => return Ok(()),
            // Debug information sets that predate `NonSemantic`.
            Some(InstructionSet::Unknown(name))
                if name == "OpenCL.DebugInfo.100" || name == "DebugInfo" =>
            {
                return Ok(());
            }
            Some(InstructionSet::Unknown(name)) => {
                return Err(
                    instruction.unsupported(format!("the instruction set {}", name.escape_debug()))
                );
            }
            None => return Err(instruction.invalid("its set of instructions is not imported")),
        }
        let number = instruction.word(1)?;
        let Some(function) = Glsl::from_u32(number) else {
            return Err(instruction.invalid(format!("GLSL.std.450 has no instruction {number}")));
        };
        let value = self.glsl(instruction, function)?;
        self.set(instruction, value)
    }

    fn glsl(&mut self, instruction: &Instruction<'_>, function: Glsl) -> Result<Expr> {
        if let Some((math, count)) = of_floats(function) {
            let mut arguments = Vec::new();
            for at in 0..count {
                let id = argument(instruction, at)?;
                arguments.push(if at == 2 && self.is_empty_range(instruction, math)? {
                    self.hidden(id)?
                } else {
                    self.value(id)?
                });
            }
            return Ok(self.function_of(math, &arguments));
        }
        if let Some((math, count, kind)) = of_integers(function) {
            return self.integer_function(instruction, math, count, kind);
        }
        if let Some(math) = packing(function) {
            let value = self.value(argument(instruction, 0)?)?;
            let packed = self.function_of(math, &[value]);
            return self.result(instruction.result_type()?, packed, Some(ScalarKind::Uint));
        }
        if let Some(math) = unpacking(function) {
            let bits = self.operand(argument(instruction, 0)?, Some(ScalarKind::Uint))?;
            return Ok(self.function_of(math, &[bits]));
        }
        match function {
            Glsl::NMin | Glsl::NMax => {
                let left = self.value(argument(instruction, 0)?)?;
                let right = self.value(argument(instruction, 1)?)?;
                let math = match function {
                    Glsl::NMin => Math::Min,
                    _ => Math::Max,
                };
                self.number_of_two(instruction.result_type()?, math, left, right)
            }
            Glsl::NClamp => {
                let [value, low, high] = self.three(instruction)?;
                let ty = instruction.result_type()?;
                let value = self.number_of_two(ty, Math::Max, value, low)?;
                self.number_of_two(ty, Math::Min, value, high)
            }
            Glsl::IMix => self.integer_mix(instruction),
            Glsl::FindILsb => {
                let ty = self.type_id(argument(instruction, 0)?)?;
                let kind = self.scalar(ty)?.kind;
                self.integer_function(instruction, Math::FirstTrailingBit, 1, kind)
            }
            Glsl::Ldexp => self.ldexp(instruction),
            Glsl::Modf | Glsl::ModfStruct => self.modf(instruction, function),
            Glsl::Frexp | Glsl::FrexpStruct => self.frexp(instruction, function),
            Glsl::PackDouble2x32 => {
                let base = self.operand(argument(instruction, 0)?, Some(ScalarKind::Uint))?;
                let low = self.add(Expression::AccessIndex { base, index: 0 });
                let high = self.add(Expression::AccessIndex { base, index: 1 });
                let expr = self.joined(low, high);
                Ok(self.add(Expression::As {
                    expr,
                    kind: ScalarKind::Float,
                    convert: None,
                }))
            }
            Glsl::UnpackDouble2x32 => self.unpack_double(instruction),
            Glsl::Normalize | Glsl::FaceForward | Glsl::Reflect | Glsl::Refract => {
                self.geometry(instruction, function)
            }
            Glsl::MatrixInverse => self.inverse(instruction),
            Glsl::InterpolateAtCentroid | Glsl::InterpolateAtSample | Glsl::InterpolateAtOffset => {
                let input = argument(instruction, 0)?;
                let has = |kind| self.reader.spirv.decorations.has(input, kind);
                let is_same = has(Decoration::Flat)
                    || function == Glsl::InterpolateAtCentroid
                        && (has(Decoration::Centroid) || self.reader.is_only_at_centroid(input));
                // It is interpolated at that location in any case.
                if let Some(pointer) = self.reader.global_pointer(input).filter(|_| is_same) {
                    return self.load(&pointer);
                }
                let feature = format!("{function:?}: an input interpolated at a chosen place");
                Err(instruction.unsupported(feature))
            }
            _ => Err(instruction.unsupported(format!("{function:?}"))),
        }
    }

    fn three(&mut self, instruction: &Instruction<'_>) -> Result<[Expr; 3]> {
        Ok([
            self.value(argument(instruction, 0)?)?,
            self.value(argument(instruction, 1)?)?,
            self.value(argument(instruction, 2)?)?,
        ])
    }

    fn integer_function(
        &mut self,
        instruction: &Instruction<'_>,
        math: Math,
        count: usize,
        kind: ScalarKind,
    ) -> Result<Expr> {
        let mut arguments = Vec::new();
        for at in 0..count {
            let id = argument(instruction, at)?;
            arguments.push(if at == 2 && self.is_empty_range(instruction, math)? {
                self.hidden_operand(id, Some(kind))?
            } else {
                self.operand(id, Some(kind))?
            });
        }
        let value = self.function_of(math, &arguments);
        self.result(instruction.result_type()?, value, Some(kind))
    }

    /// Whether the bounds of a clamp are constants with low > high: undefined in SPIR-V, an error in WGSL.
    fn is_empty_range(&self, instruction: &Instruction<'_>, math: Math) -> Result<bool> {
        if math != Math::Clamp {
            return Ok(false);
        }
        let numbers = |at| Ok(self.reader.constants.numbers(argument(instruction, at)?));
        let (Some(low), Some(high)) = (numbers(1)?, numbers(2)?) else {
            return Ok(false);
        };
        Ok(low.iter().zip(&high).any(|(low, high)| low > high))
    }

    /// `NMin` and `NMax`: the minimum or maximum; if one operand is NaN, the other.
    fn number_of_two(&mut self, ty: Id, math: Math, left: Expr, right: Expr) -> Result<Expr> {
        let both = self.function_of(math, &[left, right]);
        let condition = self.compared_with_infinity(ty, right, Binary::Greater)?;
        let value = self.add(Expression::Select {
            condition,
            accept: left,
            reject: both,
        });
        let condition = self.compared_with_infinity(ty, left, Binary::Greater)?;
        Ok(self.add(Expression::Select {
            condition,
            accept: right,
            reject: value,
        }))
    }

    /// `x * (1 - a) + y * a`, which is `x + (y - x) * a` in wrapping arithmetic.
    fn integer_mix(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let ty = instruction.result_type()?;
        let kind = Some(self.scalar(ty)?.kind);
        let from = self.operand(argument(instruction, 0)?, kind)?;
        let to = self.operand(argument(instruction, 1)?, kind)?;
        let share = self.operand(argument(instruction, 2)?, kind)?;
        let way = self.two(Binary::Subtract, to, from);
        let part = self.two(Binary::Multiply, way, share);
        let value = self.two(Binary::Add, from, part);
        self.result(ty, value, kind)
    }

    fn ldexp(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let value = self.value(argument(instruction, 0)?)?;
        let signed = Some(ScalarKind::Sint);
        // WGSL rejects constants that overflow.
        let is_large = |exponent: i64| exponent > 15;
        let id = argument(instruction, 1)?;
        let mut exponent = if self.reader.constants.any_integer(id, &is_large) {
            self.hidden_operand(id, signed)?
        } else {
            self.operand(id, signed)?
        };
        let ty = self.type_id(argument(instruction, 1)?)?;
        if self.scalar(ty)?.width != 4 {
            exponent = self.converted(exponent, Scalar::I32);
        }
        Ok(self.function_of(Math::Ldexp, &[value, exponent]))
    }

    fn unpack_double(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let expr = self.value(argument(instruction, 0)?)?;
        let wide = self.add(Expression::As {
            expr,
            kind: ScalarKind::Uint,
            convert: None,
        });
        let components = self.split(wide).to_vec();
        let ty = self.reader.insert_type(naga::TypeInner::Vector {
            size: naga::VectorSize::Bi,
            scalar: Scalar::U32,
        });
        let both = self.add(Expression::Compose { ty, components });
        self.result(instruction.result_type()?, both, Some(ScalarKind::Uint))
    }

    /// A float literal, splatted if the type is a vector.
    fn float(&mut self, ty: Id, value: f64) -> Result<Expr> {
        let literal = match self.scalar(ty)?.width {
            2 => Literal::F16(half::f16::from_f64(value)),
            8 => Literal::F64(value),
            _ => Literal::F32(value as f32),
        };
        self.number(ty, literal)
    }
}

/// The naga function for a float instruction, and its operand count.
fn of_floats(function: Glsl) -> Option<(Math, usize)> {
    Some(match function {
        // `Round` may round halves either way; `RoundEven` has the semantics of WGSL's `round`.
        Glsl::Round | Glsl::RoundEven => (Math::Round, 1),
        Glsl::Trunc => (Math::Trunc, 1),
        Glsl::FAbs => (Math::Abs, 1),
        Glsl::FSign => (Math::Sign, 1),
        Glsl::Floor => (Math::Floor, 1),
        Glsl::Ceil => (Math::Ceil, 1),
        Glsl::Fract => (Math::Fract, 1),
        Glsl::Radians => (Math::Radians, 1),
        Glsl::Degrees => (Math::Degrees, 1),
        Glsl::Sin => (Math::Sin, 1),
        Glsl::Cos => (Math::Cos, 1),
        Glsl::Tan => (Math::Tan, 1),
        Glsl::Asin => (Math::Asin, 1),
        Glsl::Acos => (Math::Acos, 1),
        Glsl::Atan => (Math::Atan, 1),
        Glsl::Sinh => (Math::Sinh, 1),
        Glsl::Cosh => (Math::Cosh, 1),
        Glsl::Tanh => (Math::Tanh, 1),
        Glsl::Asinh => (Math::Asinh, 1),
        Glsl::Acosh => (Math::Acosh, 1),
        Glsl::Atanh => (Math::Atanh, 1),
        Glsl::Atan2 => (Math::Atan2, 2),
        Glsl::Pow => (Math::Pow, 2),
        Glsl::Exp => (Math::Exp, 1),
        Glsl::Log => (Math::Log, 1),
        Glsl::Exp2 => (Math::Exp2, 1),
        Glsl::Log2 => (Math::Log2, 1),
        Glsl::Sqrt => (Math::Sqrt, 1),
        Glsl::InverseSqrt => (Math::InverseSqrt, 1),
        Glsl::Determinant => (Math::Determinant, 1),
        Glsl::FMin => (Math::Min, 2),
        Glsl::FMax => (Math::Max, 2),
        Glsl::FClamp => (Math::Clamp, 3),
        Glsl::FMix => (Math::Mix, 3),
        Glsl::Step => (Math::Step, 2),
        Glsl::SmoothStep => (Math::SmoothStep, 3),
        Glsl::Fma => (Math::Fma, 3),
        Glsl::Length => (Math::Length, 1),
        Glsl::Distance => (Math::Distance, 2),
        Glsl::Cross => (Math::Cross, 2),
        _ => return None,
    })
}

/// The naga function for an integer instruction, its operand count and its signedness.
fn of_integers(function: Glsl) -> Option<(Math, usize, ScalarKind)> {
    use ScalarKind::{Sint, Uint};
    Some(match function {
        Glsl::SAbs => (Math::Abs, 1, Sint),
        Glsl::SSign => (Math::Sign, 1, Sint),
        Glsl::SMin => (Math::Min, 2, Sint),
        Glsl::UMin => (Math::Min, 2, Uint),
        Glsl::SMax => (Math::Max, 2, Sint),
        Glsl::UMax => (Math::Max, 2, Uint),
        Glsl::SClamp => (Math::Clamp, 3, Sint),
        Glsl::UClamp => (Math::Clamp, 3, Uint),
        Glsl::FindSMsb => (Math::FirstLeadingBit, 1, Sint),
        Glsl::FindUMsb => (Math::FirstLeadingBit, 1, Uint),
        _ => return None,
    })
}

fn packing(function: Glsl) -> Option<Math> {
    Some(match function {
        Glsl::PackSnorm4x8 => Math::Pack4x8snorm,
        Glsl::PackUnorm4x8 => Math::Pack4x8unorm,
        Glsl::PackSnorm2x16 => Math::Pack2x16snorm,
        Glsl::PackUnorm2x16 => Math::Pack2x16unorm,
        Glsl::PackHalf2x16 => Math::Pack2x16float,
        _ => return None,
    })
}

fn unpacking(function: Glsl) -> Option<Math> {
    Some(match function {
        Glsl::UnpackSnorm4x8 => Math::Unpack4x8snorm,
        Glsl::UnpackUnorm4x8 => Math::Unpack4x8unorm,
        Glsl::UnpackSnorm2x16 => Math::Unpack2x16snorm,
        Glsl::UnpackUnorm2x16 => Math::Unpack2x16unorm,
        Glsl::UnpackHalf2x16 => Math::Unpack2x16float,
        _ => return None,
    })
}
