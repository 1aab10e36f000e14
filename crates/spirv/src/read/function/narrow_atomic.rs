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
struct Part {
    /// The word.
    word: Expr,
    /// The bit offset in the word.
    shift: Expr,
    bits: u32,
    kind: ScalarKind,
}

impl Body<'_, '_> {
    /// Translates an 8- or 16-bit atomic instruction.
    pub(super) fn narrow_atomic(&mut self, it: &Instruction<'_>, ty: Id, bits: u32) -> Result<()> {
        let pointer = self.pointer(it.id(0)?)?;
        let kind = self.scalar(ty)?.kind;
        let Some((word, shift)) = self.atomic_part(&pointer)? else {
            let feature = format!("atomic instructions on {bits} bits outside of buffers");
            return Err(it.unsupported(feature));
        };
        let part = Part {
            word,
            shift,
            bits,
            kind,
        };
        let pointer = part.word;
        let word = self.add(Expression::Load { pointer });
        if it.op == Op::AtomicLoad {
            let old = self.taken_out(&part, word);
            return self.set(it, old);
        }
        let number = self.reader.insert_type(TypeInner::Scalar(Scalar::U32));
        let local = self.local(Some("old".to_owned()), number);
        self.store_local(local, word);
        // The operands are evaluated once, before the loop.
        let operands = self.narrow_operands(it, &part)?;
        let body = self.braces(|body| {
            let expected = body.load_local(local);
            let old = body.taken_out(&part, expected);
            let new = body.narrow_result(it, &part, old, &operands)?;
            let word = body.put_in(&part, expected, new);
            let (old, is_exchanged) = body.try_exchange_word(pointer, expected, word);
            body.store_local(local, old);
            body.break_when(is_exchanged)
        })?;
        self.repeat(body);
        if it.result.is_some() {
            let word = self.load_local(local);
            let old = self.taken_out(&part, word);
            self.set(it, old)?;
        }
        Ok(())
    }

    /// The value operand and, for a compare-and-exchange, the comparator.
    fn narrow_operands(&mut self, it: &Instruction<'_>, part: &Part) -> Result<Vec<Expr>> {
        let kind = match it.op {
            Op::AtomicSMin | Op::AtomicSMax => ScalarKind::Sint,
            Op::AtomicUMin | Op::AtomicUMax => ScalarKind::Uint,
            _ => part.kind,
        };
        let ids = match it.op {
            Op::AtomicIIncrement | Op::AtomicIDecrement => Vec::new(),
            Op::AtomicCompareExchange => vec![it.id(4)?, it.id(5)?],
            _ => vec![it.id(3)?],
        };
        ids.into_iter()
            .map(|id| self.operand(id, Some(kind)))
            .collect()
    }

    /// The new value.
    fn narrow_result(
        &mut self,
        it: &Instruction<'_>,
        part: &Part,
        old: Expr,
        operands: &[Expr],
    ) -> Result<Expr> {
        let one = match part.kind {
            ScalarKind::Sint => Literal::I32(1),
            _ => Literal::U32(1),
        };
        let value = match operands.first() {
            Some(value) => *value,
            None => self.literal(one),
        };
        let is_float = part.kind == ScalarKind::Float;
        let binary = match it.op {
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
                let meant = match it.op {
                    Op::AtomicSMin | Op::AtomicSMax => ScalarKind::Sint,
                    _ => ScalarKind::Uint,
                };
                let math = match it.op {
                    Op::AtomicSMin | Op::AtomicUMin => Math::Min,
                    _ => Math::Max,
                };
                let old = self.extended_as(part, old, meant);
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
            _ => return Err(it.invalid("it is on numbers of another kind")),
        };
        Ok(self.two(binary, old, value))
    }

    /// A narrow number extended with the other signedness.
    fn extended_as(&mut self, part: &Part, value: Expr, kind: ScalarKind) -> Expr {
        if kind == part.kind {
            return value;
        }
        let cast = self.cast_bits(value, kind);
        self.low_bits(cast, part.bits)
    }

    fn cast_bits(&mut self, expr: Expr, kind: ScalarKind) -> Expr {
        self.add(Expression::As {
            expr,
            kind,
            convert: None,
        })
    }

    /// Extracts the number from a word.
    fn taken_out(&mut self, part: &Part, word: Expr) -> Expr {
        if part.kind == ScalarKind::Float {
            let half = self.two(Binary::ShiftRight, word, part.shift);
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
        let word = match part.kind {
            ScalarKind::Uint => word,
            kind => self.cast_bits(word, kind),
        };
        let bits = self.literal(Literal::U32(part.bits));
        self.function_of(Math::ExtractBits, &[word, part.shift, bits])
    }

    /// Inserts a number into a word.
    fn put_in(&mut self, part: &Part, word: Expr, value: Expr) -> Expr {
        let bits = match part.kind {
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
        let count = self.literal(Literal::U32(part.bits));
        self.function_of(Math::InsertBits, &[word, bits, part.shift, count])
    }
}
