//! Conversions and bitcasts between numeric types.
//!
//! A bitcast goes through u32 words where WGSL has no direct bitcast: from or to 8-, 16- and 64-bit numbers, whose
//! count may change.

use anywarp_program::naga::{
    BinaryOperator, Expression, Handle, Literal, MathFunction, Scalar, ScalarKind, TypeInner,
    VectorSize,
};
use rspirv::spirv::Op;

use super::body::{Body, SpirvValue};
use crate::error::{ReadError, Result};
use crate::module::{Id, Instruction};
use crate::read::constants::Constant;
use crate::read::types::Type;

impl Body<'_, '_> {
    pub(super) fn conversion(&mut self, instruction: &Instruction<'_>) -> Result<()> {
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
                return self.copy(instruction);
            }
            _ => return Err(instruction.unsupported("this instruction")),
        };
        self.set(instruction, value)
    }

    /// `kind` is the signedness of the integer type, be it the operand or the result.
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
        let is = Scalar {
            kind: if is_float {
                ScalarKind::Float
            } else {
                kind.unwrap_or(made)
            },
            width: self.scalar(from)?.width,
        };
        let made = Scalar {
            kind: made,
            width: to.width,
        };
        let value = if is == made {
            expr
        } else {
            self.converted(expr, made)
        };
        let made = made.kind;
        // A widened integer keeps the value that its signedness gives it.
        self.result(
            ty,
            value,
            Some(made).filter(|_| to.kind != ScalarKind::Float),
        )
    }

    /// `OpBitcast`: reinterprets the bits as numbers of another kind, width or count.
    fn reinterpret(&mut self, instruction: &Instruction<'_>) -> Result<Handle<Expression>> {
        let ty = instruction.result_type()?;
        let from = self.type_id(instruction.id(0)?)?;
        for ty in [from, ty] {
            if matches!(self.reader.types.get(ty)?, Type::Pointer { .. }) {
                return Err(instruction.unsupported("pointers reinterpreted as something else"));
            }
        }
        let expr = self.value(instruction.id(0)?)?;
        let (source, target) = (self.lanes(from)?, self.lanes(ty)?);
        if source.bits * source.count != target.bits * target.count {
            return Err(instruction.invalid("its operand has another number of bits"));
        }
        if source == target {
            return Ok(expr);
        }
        if let Some(known) = self.known_bits(instruction.id(0)?, target)? {
            return Ok(known);
        }
        let is_half = source.is_half() || target.is_half();
        let is_integer = |kind| matches!(kind, ScalarKind::Sint | ScalarKind::Uint);
        let are_integers = is_integer(source.kind) && is_integer(target.kind);
        if source.bits == target.bits && source.bits >= 32 && are_integers {
            let scalar = self.scalar(ty)?;
            return Ok(self.reinterpreted(expr, source.kind, scalar));
        }
        if source.bits == target.bits && !is_half {
            return self.result_of_bits(ty, expr, source.kind);
        }
        let words = self.words(expr, source);
        let words = self.regrouped(&words, source.unit(), target.unit());
        self.made_of_words(ty, &words, target)
    }

    /// A bitcast of a 32- or 64-bit constant. An infinite or NaN result is computed at run time, because WGSL rejects
    /// it in a constant expression.
    fn known_bits(&mut self, id: Id, target: NumericShape) -> Result<Option<Handle<Expression>>> {
        let Some((_, Constant::Literal(literal))) = self.reader.constants.get(id) else {
            return Ok(None);
        };
        let bits = match *literal {
            Literal::U32(bits) => bits.into(),
            Literal::I32(bits) => bits.cast_unsigned().into(),
            Literal::F32(value) => value.to_bits().into(),
            Literal::U64(bits) => bits,
            Literal::I64(bits) => bits.cast_unsigned(),
            Literal::F64(value) => value.to_bits(),
            _ => return Ok(None),
        };
        let low = bits as u32;
        let literal = match (target.kind, target.bits, target.count) {
            (ScalarKind::Uint, 32, 1) => Literal::U32(low),
            (ScalarKind::Sint, 32, 1) => Literal::I32(low.cast_signed()),
            (ScalarKind::Float, 32, 1) => Literal::F32(f32::from_bits(low)),
            (ScalarKind::Uint, 64, 1) => Literal::U64(bits),
            (ScalarKind::Sint, 64, 1) => Literal::I64(bits.cast_signed()),
            (ScalarKind::Float, 64, 1) => Literal::F64(f64::from_bits(bits)),
            _ => return Ok(None),
        };
        match literal {
            Literal::F32(value) if !value.is_finite() => self.bits(Scalar::F32, bits).map(Some),
            Literal::F64(value) if !value.is_finite() => self.bits(Scalar::F64, bits).map(Some),
            _ => Ok(Some(self.literal(literal))),
        }
    }

    /// The bits of a number of the same width, as integers of a signedness or as floats.
    fn result_of_bits(
        &mut self,
        ty: Id,
        expr: Handle<Expression>,
        is: ScalarKind,
    ) -> Result<Handle<Expression>> {
        match self.narrow_bits(ty)? {
            Some(_) => self.result(ty, expr, Some(is)),
            None => self.bitcast(expr, ty),
        }
    }

    fn lanes(&self, ty: Id) -> Result<NumericShape> {
        let count = match *self.reader.types.get(ty)? {
            Type::Vector { count, .. } => count,
            _ => 1,
        };
        let scalar = self.reader.types.scalar(ty)?;
        let (kind, bits) = match *self.reader.types.get(scalar)? {
            Type::Int {
                bits,
                is_signed: true,
            } => (ScalarKind::Sint, bits),
            Type::Int { bits, .. } => (ScalarKind::Uint, bits),
            Type::Float { bits } => (ScalarKind::Float, bits),
            _ => return Err(ReadError::invalid(format!("{ty} is not made of numbers"))),
        };
        Ok(NumericShape { kind, bits, count })
    }

    /// The bits of a value as a list of u32, each with the bits of one unit of the lanes.
    fn words(&mut self, value: Handle<Expression>, lanes: NumericShape) -> Vec<Handle<Expression>> {
        if lanes.is_half() {
            return self.words_of_halves(value, lanes);
        }
        let mut words = Vec::new();
        for index in 0..lanes.count {
            let lane = self.lane(value, lanes, index);
            let lane = self.with_kind(lane, lanes.kind, ScalarKind::Uint);
            match lanes.bits {
                64 => words.extend(self.split(lane)),
                // A narrow signed integer is sign-extended beyond its bits.
                bits @ (8 | 16) if lanes.kind == ScalarKind::Sint => {
                    words.push(self.low_bits(lane, bits));
                }
                _ => words.push(lane),
            }
        }
        words
    }

    /// 16-bit floats are packed by way of 32-bit floats, which represent them exactly.
    fn words_of_halves(
        &mut self,
        value: Handle<Expression>,
        lanes: NumericShape,
    ) -> Vec<Handle<Expression>> {
        let pair = self.reader.insert_type(TypeInner::Vector {
            size: VectorSize::Bi,
            scalar: Scalar::F32,
        });
        if lanes.count == 2 {
            let both = self.converted(value, Scalar::F32);
            return vec![self.function_of(MathFunction::Pack2x16float, &[both])];
        }
        let mut words = Vec::new();
        for index in (0..lanes.count).step_by(lanes.unit() as usize / 16) {
            let first = self.lane(value, lanes, index);
            let first = self.converted(first, Scalar::F32);
            let second = match lanes.unit() {
                32 => {
                    let second = self.lane(value, lanes, index + 1);
                    self.converted(second, Scalar::F32)
                }
                _ => self.literal(Literal::F32(0.0)),
            };
            let components = vec![first, second];
            let ty = pair;
            let both = self.add(Expression::Compose { ty, components });
            words.push(self.function_of(MathFunction::Pack2x16float, &[both]));
        }
        words
    }

    fn lane(
        &mut self,
        base: Handle<Expression>,
        lanes: NumericShape,
        index: u32,
    ) -> Handle<Expression> {
        match lanes.count {
            1 => base,
            _ => self.add(Expression::AccessIndex { base, index }),
        }
    }

    fn with_kind(
        &mut self,
        expr: Handle<Expression>,
        is: ScalarKind,
        kind: ScalarKind,
    ) -> Handle<Expression> {
        if is == kind {
            expr
        } else {
            self.add(Expression::As {
                expr,
                kind,
                convert: None,
            })
        }
    }

    /// A numeric conversion to another scalar.
    pub(crate) fn converted(&mut self, expr: Handle<Expression>, to: Scalar) -> Handle<Expression> {
        self.add(Expression::As {
            expr,
            kind: to.kind,
            convert: Some(to.width),
        })
    }

    /// Splits a u64 into two u32, the low word first.
    pub(crate) fn split(&mut self, wide: Handle<Expression>) -> [Handle<Expression>; 2] {
        let low = self.converted(wide, Scalar::U32);
        let half = self.literal(Literal::U32(32));
        let high = self.two(BinaryOperator::ShiftRight, wide, half);
        [low, self.converted(high, Scalar::U32)]
    }

    /// Joins two u32 into a u64.
    pub(crate) fn joined(
        &mut self,
        low: Handle<Expression>,
        high: Handle<Expression>,
    ) -> Handle<Expression> {
        let low = self.converted(low, Scalar::U64);
        let high = self.converted(high, Scalar::U64);
        let half = self.literal(Literal::U32(32));
        let high = self.two(BinaryOperator::ShiftLeft, high, half);
        self.two(BinaryOperator::InclusiveOr, low, high)
    }

    /// Regroups units of `from` bits into units of `to` bits, all in u32.
    fn regrouped(
        &mut self,
        words: &[Handle<Expression>],
        from: u32,
        to: u32,
    ) -> Vec<Handle<Expression>> {
        let mut made = Vec::new();
        if from >= to {
            for word in words {
                for offset in (0..from).step_by(to as usize) {
                    made.push(if from == to {
                        *word
                    } else {
                        let offset = self.literal(Literal::U32(offset));
                        let bits = self.literal(Literal::U32(to));
                        self.function_of(MathFunction::ExtractBits, &[*word, offset, bits])
                    });
                }
            }
            return made;
        }
        for group in words.chunks((to / from) as usize) {
            let mut whole = group[0];
            for (index, part) in group.iter().enumerate().skip(1) {
                let offset = self.literal(Literal::U32(from * index as u32));
                let part = self.two(BinaryOperator::ShiftLeft, *part, offset);
                whole = self.two(BinaryOperator::InclusiveOr, whole, part);
            }
            made.push(whole);
        }
        made
    }

    /// Numbers from their bits, one u32 for each unit.
    fn made_of_words(
        &mut self,
        ty: Id,
        words: &[Handle<Expression>],
        lanes: NumericShape,
    ) -> Result<Handle<Expression>> {
        let mut components = Vec::new();
        match lanes.bits {
            _ if lanes.is_half() => {
                for word in words {
                    let both = self.function_of(MathFunction::Unpack2x16float, &[*word]);
                    let base = self.converted(both, Scalar::F16);
                    if lanes.count == 2 {
                        return Ok(base);
                    }
                    for index in 0..lanes.unit() / 16 {
                        components.push(self.add(Expression::AccessIndex { base, index }));
                    }
                }
            }
            64 => {
                for pair in words.chunks_exact(2) {
                    let wide = self.joined(pair[0], pair[1]);
                    components.push(self.with_kind(wide, ScalarKind::Uint, lanes.kind));
                }
            }
            bits => {
                for word in words {
                    let lane = self.with_kind(*word, ScalarKind::Uint, lanes.kind);
                    let is_extended = bits < 32 && lanes.kind == ScalarKind::Sint;
                    components.push(if is_extended {
                        self.low_bits(lane, bits)
                    } else {
                        lane
                    });
                }
            }
        }
        if let [only] = components[..] {
            return Ok(only);
        }
        let ty = self.reader.value_type(ty)?;
        Ok(self.add(Expression::Compose { ty, components }))
    }

    fn copy(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let (from, to) = (instruction.id(0)?, instruction.result()?);
        match self.values.get(&from) {
            Some(
                meaning @ (SpirvValue::Pointer(_)
                | SpirvValue::VariablePointer(_)
                | SpirvValue::Opaque(_)),
            ) => {
                let meaning = meaning.clone();
                self.values.insert(to, meaning);
                Ok(())
            }
            // A module-scope variable.
            _ if matches!(
                self.reader.types.get(instruction.result_type()?)?,
                Type::Pointer { .. }
            ) =>
            {
                let pointer = self.pointer(from)?;
                self.values.insert(to, SpirvValue::Pointer(pointer));
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

/// The numbers that a value consists of.
#[derive(Clone, Copy, PartialEq, Eq)]
struct NumericShape {
    kind: ScalarKind,
    bits: u32,
    count: u32,
}

impl NumericShape {
    fn is_half(self) -> bool {
        self.kind == ScalarKind::Float && self.bits == 16
    }

    /// The number of bits in a unit: at most 32; pairs of 16-bit floats form one unit.
    fn unit(self) -> u32 {
        if self.is_half() && self.count.is_multiple_of(2) {
            32
        } else {
            self.bits.min(32)
        }
    }
}
