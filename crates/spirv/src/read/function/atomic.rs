//! Atomic instructions.
//!
//! A naga atomic has the signedness of its variable, so a minimum or maximum of the other signedness is a
//! compare-and-exchange loop. So are operations on atomic floats, which are stored as their bits. WGSL's
//! compare-and-exchange may fail spuriously and SPIR-V's may not, so it is a loop too. Texel atomics are at the end.

use crate::read::function::Expr;
use anywarp_program::naga::{
    AtomicFunction, BinaryOperator as Binary, Block, Expression, Literal, MathFunction as Math,
    PredeclaredType, Scalar, ScalarKind, Statement, TypeInner, UnaryOperator,
};
use rspirv::spirv::Op;

use super::body::Body;
use crate::error::Result;
use crate::module::{Id, Instruction};
use crate::read::layout::atomic;
use crate::read::types::Type;

/// The operand index of the value in most atomic instructions, after pointer, scope and semantics.
const VALUE: usize = 3;

#[derive(Clone, Copy)]
struct Atomic {
    pointer: Expr,
    /// The scalar type in the module.
    scalar: Scalar,
    /// The scalar type of the naga atomic, which has the same width.
    holds: Scalar,
}

/// How a new value is computed from the old one in a compare-and-exchange loop.
#[derive(Clone, Copy)]
enum Combine {
    Sum,
    Math(Math),
}

impl Body<'_, '_> {
    pub(super) fn atomic(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let pointer = instruction.id(0)?;
        let definition = self.reader.spirv.definition(pointer)?;
        if definition.op == Op::ImageTexelPointer {
            return self.texel_atomic(instruction, &definition);
        }
        let whole = self.pointer(pointer)?;
        let ty = self.pointee(&whole)?;
        let narrow = match *self.reader.types.get(ty)? {
            Type::Float { bits: 16 } => Some(16),
            _ => self.narrow_bits(ty)?,
        };
        if let Some(bits) = narrow {
            return self.narrow_atomic(instruction, ty, bits);
        }
        let atomic = self.atomic_variable(instruction, pointer)?;
        match instruction.op {
            Op::AtomicStore => {
                let value = self.operand(instruction.id(VALUE)?, Some(atomic.holds.kind))?;
                let pointer = atomic.pointer;
                self.push(Statement::Store { pointer, value });
            }
            _ => {
                let old = self.old_value(instruction, atomic)?;
                let kind = atomic.holds.kind;
                let old = self.result(instruction.result_type()?, old, Some(kind))?;
                self.set(instruction, old)?;
            }
        }
        Ok(())
    }

    fn atomic_variable(&mut self, instruction: &Instruction<'_>, pointer: Id) -> Result<Atomic> {
        let pointer = self.pointer(pointer)?;
        let ty = self.pointee(&pointer)?;
        let TypeInner::Scalar(scalar) = self.inner(ty)? else {
            return Err(instruction.invalid("it is not on a number"));
        };
        let is_words = self.buffer_words(&pointer).is_some();
        if scalar.width == 8 && is_words {
            let feature = "atomic instructions on 64 bits in a buffer that lies as WGSL's do not";
            return Err(instruction.unsupported(feature));
        }
        let pointer = self.pointer_argument(&pointer)?;
        let holds = if is_words {
            Scalar::U32
        } else {
            atomic(scalar)
        };
        Ok(Atomic {
            pointer,
            scalar,
            holds,
        })
    }

    /// Emits the operation; returns the old value of the variable.
    fn old_value(&mut self, instruction: &Instruction<'_>, atomic: Atomic) -> Result<Expr> {
        let kind = Some(atomic.holds.kind);
        match instruction.op {
            Op::AtomicLoad => {
                let pointer = atomic.pointer;
                return Ok(self.add(Expression::Load { pointer }));
            }
            Op::AtomicCompareExchange => {
                let value = self.operand(instruction.id(4)?, kind)?;
                let expected = self.operand(instruction.id(5)?, kind)?;
                return self.exchanged_if(instruction, atomic, expected, value);
            }
            _ => {}
        }
        if matches!(instruction.op, Op::AtomicIIncrement | Op::AtomicIDecrement) {
            let value = self.literal(one(atomic.holds));
            return self.read_modify_write(atomic, plain(instruction)?, value);
        }
        let (combine, meant) = match instruction.op {
            Op::AtomicSMin => (Combine::Math(Math::Min), ScalarKind::Sint),
            Op::AtomicSMax => (Combine::Math(Math::Max), ScalarKind::Sint),
            Op::AtomicUMin => (Combine::Math(Math::Min), ScalarKind::Uint),
            Op::AtomicUMax => (Combine::Math(Math::Max), ScalarKind::Uint),
            Op::AtomicFMinEXT => (Combine::Math(Math::Min), ScalarKind::Float),
            Op::AtomicFMaxEXT => (Combine::Math(Math::Max), ScalarKind::Float),
            Op::AtomicFAddEXT => (Combine::Sum, ScalarKind::Float),
            _ => {
                let value = self.operand(instruction.id(VALUE)?, kind)?;
                return self.read_modify_write(atomic, plain(instruction)?, value);
            }
        };
        if (meant == ScalarKind::Float) != (atomic.scalar.kind == ScalarKind::Float) {
            return Err(instruction.invalid("it is on numbers of another kind"));
        }
        let value = self.operand(instruction.id(VALUE)?, Some(meant))?;
        if meant == atomic.holds.kind {
            self.read_modify_write(atomic, plain(instruction)?, value)
        } else {
            self.combined_with(atomic, combine, meant, value)
        }
    }

    fn read_modify_write(
        &mut self,
        atomic: Atomic,
        fun: AtomicFunction,
        value: Expr,
    ) -> Result<Expr> {
        let ty = self.reader.insert_type(TypeInner::Scalar(atomic.holds));
        let comparison = false;
        let result = self.add_apart(Expression::AtomicResult { ty, comparison });
        self.push(Statement::Atomic {
            pointer: atomic.pointer,
            fun,
            value,
            result: Some(result),
        });
        Ok(result)
    }

    /// One weak compare-and-exchange: the old value, and whether the exchange succeeded.
    fn try_exchange(&mut self, atomic: Atomic, expected: Expr, value: Expr) -> (Expr, Expr) {
        let ty = PredeclaredType::AtomicCompareExchangeWeakResult(atomic.holds);
        let ty = self.reader.module.generate_predeclared_type(ty);
        let comparison = true;
        let base = self.add_apart(Expression::AtomicResult { ty, comparison });
        let compare = Some(expected);
        self.push(Statement::Atomic {
            pointer: atomic.pointer,
            fun: AtomicFunction::Exchange { compare },
            value,
            result: Some(base),
        });
        let old = self.add(Expression::AccessIndex { base, index: 0 });
        let is_exchanged = self.add(Expression::AccessIndex { base, index: 1 });
        (old, is_exchanged)
    }

    /// The same on a word of a buffer.
    pub(super) fn try_exchange_word(
        &mut self,
        pointer: Expr,
        expected: Expr,
        value: Expr,
    ) -> (Expr, Expr) {
        let atomic = Atomic {
            pointer,
            scalar: Scalar::U32,
            holds: Scalar::U32,
        };
        self.try_exchange(atomic, expected, value)
    }

    fn exchanged_if(
        &mut self,
        instruction: &Instruction<'_>,
        atomic: Atomic,
        expected: Expr,
        value: Expr,
    ) -> Result<Expr> {
        self.no_floats(instruction, atomic)?;
        let ty = self.reader.insert_type(TypeInner::Scalar(atomic.holds));
        let local = self.local(Some("old".to_owned()), ty);
        let body = self.braces(|body| {
            let (old, is_exchanged) = body.try_exchange(atomic, expected, value);
            body.store_local(local, old);
            let differs = body.two(Binary::NotEqual, old, expected);
            let is_over = body.two(Binary::LogicalOr, is_exchanged, differs);
            body.break_when(is_over)
        })?;
        self.repeat(body);
        Ok(self.load_local(local))
    }

    /// A compare-and-exchange loop that combines the variable, as a scalar of kind `meant`, with a value. Returns the
    /// old value.
    fn combined_with(
        &mut self,
        atomic: Atomic,
        combine: Combine,
        meant: ScalarKind,
        value: Expr,
    ) -> Result<Expr> {
        let cast = |body: &mut Self, expr, kind| {
            body.add(Expression::As {
                expr,
                kind,
                convert: None,
            })
        };
        let ty = self.reader.insert_type(TypeInner::Scalar(atomic.holds));
        let local = self.local(Some("old".to_owned()), ty);
        let pointer = atomic.pointer;
        let first = self.add(Expression::Load { pointer });
        self.store_local(local, first);
        let body = self.braces(|body| {
            let expected = body.load_local(local);
            let number = cast(body, expected, meant);
            let combined = match combine {
                Combine::Sum => body.two(Binary::Add, number, value),
                Combine::Math(math) => body.function_of(math, &[number, value]),
            };
            let combined = cast(body, combined, atomic.holds.kind);
            let (old, is_exchanged) = body.try_exchange(atomic, expected, combined);
            body.store_local(local, old);
            body.break_when(is_exchanged)
        })?;
        self.repeat(body);
        Ok(self.load_local(local))
    }

    fn no_floats(&self, instruction: &Instruction<'_>, atomic: Atomic) -> Result<()> {
        match atomic.scalar.kind {
            ScalarKind::Sint | ScalarKind::Uint => Ok(()),
            _ => Err(instruction.invalid("it is not on an integer")),
        }
    }

    /// Breaks out of the enclosing loop if a condition is true.
    pub(super) fn break_when(&mut self, condition: Expr) -> Result<()> {
        let accept = self.braces(|body| {
            body.push(Statement::Break);
            Ok(())
        })?;
        self.push(Statement::If {
            condition,
            accept,
            reject: Block::new(),
        });
        Ok(())
    }

    pub(super) fn repeat(&mut self, body: Block) {
        self.push(Statement::Loop {
            body,
            continuing: Block::new(),
            break_if: None,
        });
    }

    /// An atomic instruction on an image texel.
    fn texel_atomic(
        &mut self,
        instruction: &Instruction<'_>,
        texel: &Instruction<'_>,
    ) -> Result<()> {
        if instruction.result.is_some_and(|id| self.reader.is_used(id)) {
            return Err(instruction
                .unsupported("the old value that an atomic instruction on a texel gives"));
        }
        let image = self.pointer(texel.id(0)?)?;
        let image = self.image_at(&image, false)?;
        let scalar = image.scalar();
        let kind = Some(scalar.kind);
        let mut fun = match instruction.op {
            Op::AtomicIIncrement => AtomicFunction::Add,
            Op::AtomicIDecrement | Op::AtomicISub => AtomicFunction::Subtract,
            Op::AtomicSMin | Op::AtomicSMax if scalar.kind != ScalarKind::Sint => {
                return Err(
                    instruction.unsupported("signed atomic instructions on unsigned texels")
                );
            }
            Op::AtomicUMin | Op::AtomicUMax if scalar.kind != ScalarKind::Uint => {
                return Err(
                    instruction.unsupported("unsigned atomic instructions on signed texels")
                );
            }
            Op::AtomicIAdd
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor => plain(instruction)?,
            _ => return Err(instruction.unsupported("this atomic instruction on a texel")),
        };
        let mut value = match instruction.op {
            Op::AtomicIIncrement | Op::AtomicIDecrement => self.literal(one(scalar)),
            _ => self.operand(instruction.id(VALUE)?, kind)?,
        };
        if fun == AtomicFunction::Subtract {
            fun = AtomicFunction::Add;
            value = self.negative(value, scalar);
        }
        let coordinate = self.texel_coordinate(texel.id(1)?, &image, None)?;
        self.push(Statement::ImageAtomic {
            image: image.expression,
            coordinate: coordinate.at,
            array_index: coordinate.layer,
            fun,
            value,
        });
        Ok(())
    }

    /// The negated value, to subtract by an addition.
    fn negative(&mut self, value: Expr, scalar: Scalar) -> Expr {
        if scalar.kind == ScalarKind::Sint {
            let op = UnaryOperator::Negate;
            return self.add(Expression::Unary { op, expr: value });
        }
        let zero = self.literal(match scalar.width {
            8 => Literal::U64(0),
            _ => Literal::U32(0),
        });
        self.two(Binary::Subtract, zero, value)
    }
}

/// The naga atomic function of an instruction, if it has one.
fn plain(instruction: &Instruction<'_>) -> Result<AtomicFunction> {
    Ok(match instruction.op {
        Op::AtomicExchange => AtomicFunction::Exchange { compare: None },
        Op::AtomicIIncrement | Op::AtomicIAdd => AtomicFunction::Add,
        Op::AtomicIDecrement | Op::AtomicISub => AtomicFunction::Subtract,
        Op::AtomicSMin | Op::AtomicUMin => AtomicFunction::Min,
        Op::AtomicSMax | Op::AtomicUMax => AtomicFunction::Max,
        Op::AtomicAnd => AtomicFunction::And,
        Op::AtomicOr => AtomicFunction::InclusiveOr,
        Op::AtomicXor => AtomicFunction::ExclusiveOr,
        _ => return Err(instruction.unsupported("this atomic instruction")),
    })
}

fn one(scalar: Scalar) -> Literal {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Sint, 8) => Literal::I64(1),
        (ScalarKind::Sint, _) => Literal::I32(1),
        (_, 8) => Literal::U64(1),
        _ => Literal::U32(1),
    }
}
