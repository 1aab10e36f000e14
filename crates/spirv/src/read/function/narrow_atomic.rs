//! 8- and 16-bit atomics in buffers of words.
//!
//! Each is a compare-and-exchange loop on the word that contains the number.

use crate::read::function::Expr;
use anywarp_program::naga::{
    BinaryOperator as Binary, Expression, Literal, MathFunction as Math, Scalar, ScalarKind,
    TypeInner, VectorSize,
};
use rspirv::spirv::Op;

use super::body::Body;
use crate::error::Result;
use crate::module::{Id, Instruction};

/// The part of a word that holds a narrow number.
struct NarrowField {
    /// The word.
    word: Expr,
    /// The bit offset in the word.
    shift: Expr,
    bits: u32,
    kind: ScalarKind,
}

impl Body<'_, '_> {
    /// Translates an 8- or 16-bit atomic instruction.
    pub(super) fn narrow_atomic(
        &mut self,
        instruction: &Instruction<'_>,
        ty: Id,
        bits: u32,
    ) -> Result<()> {
        let pointer = self.pointer(instruction.id(0)?)?;
        let kind = self.scalar(ty)?.kind;
        let Some((word, shift)) = self.atomic_part(&pointer)? else {
            let feature = format!("atomic instructions on {bits} bits outside of buffers");
            return Err(instruction.unsupported(feature));
        };
        let field = NarrowField {
            word,
            shift,
            bits,
            kind,
        };
        let pointer = field.word;
        let word = self.add(Expression::Load { pointer });
        if instruction.op == Op::AtomicLoad {
            let old = self.taken_out(&field, word);
            return self.set(instruction, old);
        }
        let number = self.reader.insert_type(TypeInner::Scalar(Scalar::U32));
        let local = self.local(Some("old".to_owned()), number);
        self.store_local(local, word);
        // The operands are evaluated once, before the loop.
        let operands = self.narrow_operands(instruction, &field)?;
        let body = self.braces(|body| {
            let expected = body.load_local(local);
            let old = body.taken_out(&field, expected);
            let new = body.narrow_result(instruction, &field, old, &operands)?;
            let word = body.put_in(&field, expected, new);
            let (old, is_exchanged) = body.try_exchange_word(pointer, expected, word);
            body.store_local(local, old);
            body.break_when(is_exchanged)
        })?;
        self.repeat(body);
        if instruction.result.is_some() {
            let word = self.load_local(local);
            let old = self.taken_out(&field, word);
            self.set(instruction, old)?;
        }
        Ok(())
    }

    /// The value operand and, for a compare-and-exchange, the comparator.
    fn narrow_operands(
        &mut self,
        instruction: &Instruction<'_>,
        field: &NarrowField,
    ) -> Result<Vec<Expr>> {
        let kind = match instruction.op {
            Op::AtomicSMin | Op::AtomicSMax => ScalarKind::Sint,
            Op::AtomicUMin | Op::AtomicUMax => ScalarKind::Uint,
            _ => field.kind,
        };
        let ids = match instruction.op {
            Op::AtomicIIncrement | Op::AtomicIDecrement => Vec::new(),
            Op::AtomicCompareExchange => vec![instruction.id(4)?, instruction.id(5)?],
            _ => vec![instruction.id(3)?],
        };
        ids.into_iter()
            .map(|id| self.operand(id, Some(kind)))
            .collect()
    }

    /// The new value.
    fn narrow_result(
        &mut self,
        instruction: &Instruction<'_>,
        field: &NarrowField,
        old: Expr,
        operands: &[Expr],
    ) -> Result<Expr> {
        let one = match field.kind {
            ScalarKind::Sint => Literal::I32(1),
            _ => Literal::U32(1),
        };
        let value = match operands.first() {
            Some(value) => *value,
            None => self.literal(one),
        };
        let is_float = field.kind == ScalarKind::Float;
        let binary = match instruction.op {
            Op::AtomicStore | Op::AtomicExchange => return Ok(value),
            Op::AtomicCompareExchange if !is_float => {
                let expected = operands.get(1).copied().unwrap_or(value);
                let condition = self.two(Binary::Equal, old, expected);
                return Ok(self.add(Expression::Select {
                    condition,
                    accept: value,
                    reject: old,
                }));
            }
            Op::AtomicSMin | Op::AtomicSMax | Op::AtomicUMin | Op::AtomicUMax if !is_float => {
                let meant = match instruction.op {
                    Op::AtomicSMin | Op::AtomicSMax => ScalarKind::Sint,
                    _ => ScalarKind::Uint,
                };
                let math = match instruction.op {
                    Op::AtomicSMin | Op::AtomicUMin => Math::Min,
                    _ => Math::Max,
                };
                let old = self.extended_as(field, old, meant);
                return Ok(self.function_of(math, &[old, value]));
            }
            Op::AtomicFMinEXT if is_float => return Ok(self.function_of(Math::Min, &[old, value])),
            Op::AtomicFMaxEXT if is_float => return Ok(self.function_of(Math::Max, &[old, value])),
            Op::AtomicFAddEXT if is_float => Binary::Add,
            Op::AtomicIIncrement | Op::AtomicIAdd if !is_float => Binary::Add,
            Op::AtomicIDecrement | Op::AtomicISub if !is_float => Binary::Subtract,
            Op::AtomicAnd if !is_float => Binary::And,
            Op::AtomicOr if !is_float => Binary::InclusiveOr,
            Op::AtomicXor if !is_float => Binary::ExclusiveOr,
            _ => return Err(instruction.invalid("it is on numbers of another kind")),
        };
        Ok(self.two(binary, old, value))
    }

    /// A narrow number extended with the other signedness.
    fn extended_as(&mut self, field: &NarrowField, value: Expr, kind: ScalarKind) -> Expr {
        if kind == field.kind {
            return value;
        }
        let cast = self.cast_bits(value, kind);
        self.low_bits(cast, field.bits)
    }

    fn cast_bits(&mut self, expr: Expr, kind: ScalarKind) -> Expr {
        self.add(Expression::As {
            expr,
            kind,
            convert: None,
        })
    }

    /// Extracts the number from a word.
    fn taken_out(&mut self, field: &NarrowField, word: Expr) -> Expr {
        if field.kind == ScalarKind::Float {
            let half = self.two(Binary::ShiftRight, word, field.shift);
            let both = self.function_of(Math::Unpack2x16float, &[half]);
            let expr = self.add(Expression::AccessIndex {
                base: both,
                index: 0,
            });
            return self.add(Expression::As {
                expr,
                kind: ScalarKind::Float,
                convert: Some(2),
            });
        }
        let word = match field.kind {
            ScalarKind::Uint => word,
            kind => self.cast_bits(word, kind),
        };
        let bits = self.literal(Literal::U32(field.bits));
        self.function_of(Math::ExtractBits, &[word, field.shift, bits])
    }

    /// Inserts a number into a word.
    fn put_in(&mut self, field: &NarrowField, word: Expr, value: Expr) -> Expr {
        let bits = match field.kind {
            ScalarKind::Float => {
                let wide = self.add(Expression::As {
                    expr: value,
                    kind: ScalarKind::Float,
                    convert: Some(4),
                });
                let size = VectorSize::Bi;
                let pair = self.add(Expression::Splat { size, value: wide });
                self.function_of(Math::Pack2x16float, &[pair])
            }
            _ => self.cast_bits(value, ScalarKind::Uint),
        };
        let count = self.literal(Literal::U32(field.bits));
        self.function_of(Math::InsertBits, &[word, bits, field.shift, count])
    }
}
